import type { ConnectionProblem } from '@worktrack/contracts/keys/connection';
import type { ConnectionStep } from '@worktrack/contracts/keys/connection-steps';
import type { Resource } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

export interface SeenStep {
  at: Date;
  problem?: ConnectionProblem;
  detail?: string;
}

/** One attempt of an app to connect: what it asked for, what has become of it, and how far it came. */
export interface ConnectionDocument {
  _id: string;
  /** Of whoever was signed in when it was looked at; nobody's until then. */
  organizationId: string | null;
  userId: string | null;
  clientId: string | null;
  clientName: string | null;
  clientUri: string | null;
  clientDomain: string | null;
  /** Only what may be sent somewhere: one of the client's. */
  redirectUri: string | null;
  state: string | null;
  issuer: string;
  /** Absent: it asks for nothing that could be decided about, which a step says. */
  asked?: { resource: Resource; permissions: Permission[]; codeChallenge: string };
  /** Of the browser, as gateways hash them. */
  network: string;
  userAgent: string | null;
  steps: Partial<Record<ConnectionStep, SeenStep>>;
  grantId: string | null;
  createdAt: Date;
}

const KEPT_SECONDS = 24 * 60 * 60;

const { Mixed } = mongoose.Schema.Types;

const connectionSchema = new mongoose.Schema<ConnectionDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, default: null },
    userId: { type: String, default: null },
    clientId: { type: String, default: null },
    clientName: { type: String, default: null },
    clientUri: { type: String, default: null },
    clientDomain: { type: String, default: null },
    redirectUri: { type: String, default: null },
    state: { type: String, default: null },
    issuer: { type: String, required: true },
    asked: Mixed,
    network: { type: String, required: true },
    userAgent: { type: String, default: null },
    steps: { type: Mixed, required: true },
    grantId: { type: String, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'connections', versionKey: false, minimize: false },
);
connectionSchema.index({ organizationId: 1, _id: 1 });
connectionSchema.index({ organizationId: 1, userId: 1, _id: 1 });
connectionSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const ConnectionModel = mongoose.model('Connection', connectionSchema);

/** What a client did from somewhere before any browser came: read how to sign in, mostly. Nobody's, and known by the network alone. */
export interface LookupDocument {
  /** The network, as gateways hash them. */
  _id: string;
  userAgent: string | null;
  steps: Partial<Record<ConnectionStep, SeenStep>>;
  updatedAt: Date;
}

const lookupSchema = new mongoose.Schema<LookupDocument>(
  {
    _id: { type: String, required: true },
    userAgent: { type: String, default: null },
    steps: { type: Mixed, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'connection_lookups', versionKey: false, minimize: false },
);
lookupSchema.index({ updatedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const LookupModel = mongoose.model('ConnectionLookup', lookupSchema);
