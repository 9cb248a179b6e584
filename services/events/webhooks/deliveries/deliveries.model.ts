import type { EventSubject, EventType } from '@worktrack/contracts/events/event';
import type { Delivery } from '@worktrack/contracts/events/webhook';
import mongoose from 'mongoose';

const RETENTION_SECONDS = 30 * 24 * 60 * 60;

export interface DeliveryDocument {
  _id: string;
  organizationId: string;
  webhookId: string;
  eventId: string;
  seq: number;
  type: EventType;
  subject: EventSubject;
  /** `<kind>:<id>`: deliveries with the same one are sent in order. */
  about: string;
  state: Delivery['state'];
  attempts: number;
  /** Attempts made before it was replayed. */
  attemptsBefore: number;
  status: number | null;
  error: string | null;
  answer: string | null;
  durationMs: number | null;
  createdAt: Date;
  attemptedAt: Date | null;

  /** Not tried yet: its place in the queue, equal to its `seq`. */
  fresh?: number;
  /** When to try again. A number, as everything that orders a queue. */
  dueAtMs?: number;
  /** Until then, later events about its subject wait for it. */
  holdsUntilMs?: number;
}

const deliverySchema = new mongoose.Schema<DeliveryDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    webhookId: { type: String, required: true },
    eventId: { type: String, required: true },
    seq: { type: Number, required: true },
    type: { type: String, required: true },
    subject: { type: mongoose.Schema.Types.Mixed, required: true },
    about: { type: String, required: true },
    state: { type: String, required: true },
    attempts: { type: Number, required: true },
    attemptsBefore: { type: Number, required: true },
    status: { type: Number, default: null },
    error: { type: String, default: null },
    answer: { type: String, default: null },
    durationMs: { type: Number, default: null },
    createdAt: { type: Date, required: true },
    attemptedAt: { type: Date, default: null },
    fresh: Number,
    dueAtMs: Number,
    holdsUntilMs: Number,
  },
  { collection: 'deliveries', versionKey: false },
);
deliverySchema.index({ organizationId: 1, webhookId: 1, _id: 1 });
deliverySchema.index({ organizationId: 1, webhookId: 1, state: 1, _id: 1 });
// The queues.
for (const field of ['fresh', 'dueAtMs', 'holdsUntilMs'] as const) {
  deliverySchema.index({ organizationId: 1, webhookId: 1, [field]: 1, _id: 1 });
}
deliverySchema.index({ createdAt: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

export const DeliveryModel = mongoose.model('Delivery', deliverySchema);
