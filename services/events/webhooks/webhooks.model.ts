import type { EventPattern, Webhook } from '@worktrack/contracts/events/webhook';
import type { Permission } from '@worktrack/contracts/permissions';
import {
  date,
  flag,
  nullable,
  number,
  part,
  parts,
  text,
  texts,
  withDefault,
} from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const secretFields = {
  sealed: text(),
  /** When it stops signing. */
  endsAt: nullable(date()),
};
export type SealedSecret = Stored<typeof secretFields>;

const fields = {
  _id: text(),
  organizationId: text(),
  url: text(),
  types: texts<EventPattern>(),
  projectId: nullable(text()),
  description: withDefault(text(), ''),
  enabled: flag(),
  disabledReason: nullable(text<NonNullable<Webhook['disabledReason']>>()),
  maker: part(partSchemaOf({ userId: text(), keyId: text() })),
  permissions: texts<Permission>(),
  /** Newest first; at most two. */
  secrets: parts(partSchemaOf(secretFields)),
  revision: number(),
  createdAt: date(),
  updatedAt: date(),

  /** Deliveries exist for events up to this place in the log. */
  cursor: number(),
  failingSince: nullable(date()),
  /** When there is something to send, or to look for; null: nothing. */
  dueAt: nullable(date()),
  /** The endpoint asked to be left alone until then, or has just failed. */
  notBefore: nullable(date()),
  /** Incremented whenever there is something to send, so that nobody relies on having just found nothing. */
  wakes: number(),
  /** The last attempt failed: it gets one request at a time, separately from healthy ones. */
  unwell: flag(),
  /** The dispatcher that is sending to it; no other does so meanwhile. */
  holder: nullable(text()),
};

export type WebhookDocument = Stored<typeof fields>;

const webhookSchema = schemaOf(fields, { collection: 'webhooks' });
webhookSchema.index({ organizationId: 1, _id: 1 });
// What dispatchers look for, across all organizations: what is due and free, and what dead ones still hold.
webhookSchema.index({ enabled: 1, unwell: 1, holder: 1, dueAt: 1 });
webhookSchema.index({ holder: 1 });

export const WebhookModel = mongoose.model('Webhook', webhookSchema);
