import type { ConnectionProblem } from '@worktrack/contracts/keys/connection';
import type { ConnectionStep } from '@worktrack/contracts/keys/connection-steps';
import type { Resource } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import { date, mixed, nullable, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

export interface SeenStep {
  at: Date;
  problem?: ConnectionProblem;
  detail?: string;
}

/** One attempt of an app to connect: what it asked for, what has become of it, and how far it came. */
const connectionFields = {
  _id: text(),
  /** Of whoever was signed in when it was looked at; nobody's until then. */
  organizationId: nullable(text()),
  userId: nullable(text()),
  clientId: nullable(text()),
  clientName: nullable(text()),
  clientUri: nullable(text()),
  clientDomain: nullable(text()),
  /** Only what may be sent somewhere: one of the client's. */
  redirectUri: nullable(text()),
  state: nullable(text()),
  issuer: text(),
  /** Absent: it asks for nothing that could be decided about, which a step says. */
  asked: optional(mixed<{ resource: Resource; permissions: Permission[]; codeChallenge: string }>()),
  /** Of the browser, as gateways hash them. */
  network: text(),
  userAgent: nullable(text()),
  steps: mixed<Partial<Record<ConnectionStep, SeenStep>>>(),
  grantId: nullable(text()),
  createdAt: date(),
  /** Soon, until somebody who is signed in has looked at it: anybody can start one. Absent from then on. */
  expiresAt: optional(date()),
};

export type ConnectionDocument = Stored<typeof connectionFields>;

const KEPT_SECONDS = 24 * 60 * 60;

const connectionSchema = schemaOf(connectionFields, { collection: 'connections', minimize: false });
connectionSchema.index({ organizationId: 1, _id: 1 });
connectionSchema.index({ organizationId: 1, userId: 1, _id: 1 });
connectionSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });
connectionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const ConnectionModel = mongoose.model('Connection', connectionSchema);

/** What a client did from somewhere before any browser came: read how to sign in, mostly. Nobody's, and known by the network alone. */
const lookupFields = {
  /** The network, as gateways hash them. */
  _id: text(),
  userAgent: nullable(text()),
  steps: mixed<Partial<Record<ConnectionStep, SeenStep>>>(),
  updatedAt: date(),
};

export type LookupDocument = Stored<typeof lookupFields>;

const lookupSchema = schemaOf(lookupFields, { collection: 'connection_lookups', minimize: false });
lookupSchema.index({ updatedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const LookupModel = mongoose.model('ConnectionLookup', lookupSchema);
