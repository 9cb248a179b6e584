import type { EventSubject, EventType } from '@worktrack/contracts/events/event';
import type { Delivery } from '@worktrack/contracts/events/webhook';
import { date, mixed, nullable, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const RETENTION_SECONDS = 30 * 24 * 60 * 60;

const fields = {
  _id: text(),
  organizationId: text(),
  webhookId: text(),
  eventId: text(),
  seq: number(),
  type: text<EventType>(),
  subject: mixed<EventSubject>(),
  /** `<kind>:<id>`: deliveries with the same one are sent in order. */
  about: text(),
  state: text<Delivery['state']>(),
  attempts: number(),
  /** Attempts made before it was replayed. */
  attemptsBefore: number(),
  status: nullable(number()),
  error: nullable(text()),
  answer: nullable(text()),
  durationMs: nullable(number()),
  createdAt: date(),
  attemptedAt: nullable(date()),
  /** Not tried yet: its place in the queue, equal to its `seq`. */
  fresh: optional(number()),
  /** When to try again. A number, as everything that orders a queue. */
  dueAtMs: optional(number()),
  /** Until then, later events about its subject wait for it. */
  holdsUntilMs: optional(number()),
};

export type DeliveryDocument = Stored<typeof fields>;

const deliverySchema = schemaOf(fields, { collection: 'deliveries' });
deliverySchema.index({ organizationId: 1, webhookId: 1, _id: 1 });
deliverySchema.index({ organizationId: 1, webhookId: 1, state: 1, _id: 1 });
// The queues.
for (const field of ['fresh', 'dueAtMs', 'holdsUntilMs'] as const) {
  deliverySchema.index({ organizationId: 1, webhookId: 1, [field]: 1, _id: 1 });
}
deliverySchema.index({ createdAt: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

export const DeliveryModel = mongoose.model('Delivery', deliverySchema);
