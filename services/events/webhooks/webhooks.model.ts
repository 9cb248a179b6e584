import type { EventPattern, Webhook } from '@worktrack/contracts/events/webhook';
import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

export interface SealedSecret {
  sealed: string;
  /** When it stops signing. */
  endsAt: Date | null;
}

export interface WebhookDocument {
  _id: string;
  organizationId: string;
  url: string;
  types: EventPattern[];
  projectId: string | null;
  description: string;
  enabled: boolean;
  disabledReason: Webhook['disabledReason'];
  maker: { userId: string; keyId: string };
  permissions: Permission[];
  /** Newest first; at most two. */
  secrets: SealedSecret[];
  revision: number;
  createdAt: Date;
  updatedAt: Date;

  /** Deliveries exist for events up to this place in the log. */
  cursor: number;
  failingSince: Date | null;
  /** When there is something to send, or to look for; null: nothing. */
  dueAt: Date | null;
  /** The endpoint asked to be left alone until then, or has just failed. */
  notBefore: Date | null;
  /** Incremented whenever there is something to send, so that nobody relies on having just found nothing. */
  wakes: number;
  /** The last attempt failed: it gets one request at a time, separately from healthy ones. */
  unwell: boolean;
  /** The dispatcher that is sending to it; no other does so meanwhile. */
  holder: string | null;
}

const secretSchema = new mongoose.Schema<SealedSecret>(
  { sealed: { type: String, required: true }, endsAt: { type: Date, default: null } },
  { _id: false },
);
const makerSchema = new mongoose.Schema<WebhookDocument['maker']>(
  { userId: { type: String, required: true }, keyId: { type: String, required: true } },
  { _id: false },
);

const webhookSchema = new mongoose.Schema<WebhookDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    url: { type: String, required: true },
    types: { type: [String], required: true },
    projectId: { type: String, default: null },
    description: { type: String, default: '' },
    enabled: { type: Boolean, required: true },
    disabledReason: { type: String, default: null },
    maker: { type: makerSchema, required: true },
    permissions: { type: [String], required: true },
    secrets: { type: [secretSchema], required: true },
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    cursor: { type: Number, required: true },
    failingSince: { type: Date, default: null },
    dueAt: { type: Date, default: null },
    notBefore: { type: Date, default: null },
    wakes: { type: Number, required: true },
    unwell: { type: Boolean, required: true },
    holder: { type: String, default: null },
  },
  { collection: 'webhooks', versionKey: false },
);
webhookSchema.index({ organizationId: 1, _id: 1 });
// What dispatchers look for, across all organizations: what is due and free, and what dead ones still hold.
webhookSchema.index({ enabled: 1, unwell: 1, holder: 1, dueAt: 1 });
webhookSchema.index({ holder: 1 });

export const WebhookModel = mongoose.model('Webhook', webhookSchema);
