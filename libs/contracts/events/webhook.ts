import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { PERMISSIONS } from '../permissions.ts';
import { EVENT_TYPES, EventSubject, type EventType, SUBJECT_KINDS, type SubjectKind } from './event.ts';

/** What a webhook subscribes to: a type, all of a kind (`work_item.*`), or all. */
const EVENT_PATTERNS = ['*', ...SUBJECT_KINDS.map((kind) => `${kind}.*` as const), ...EVENT_TYPES] as const;
export const EventPattern = z.enum(EVENT_PATTERNS as readonly ['*', ...('*' | `${SubjectKind}.*` | EventType)[]]);
export type EventPattern = z.infer<typeof EventPattern>;

export const WEBHOOK_STATES = ['active', 'failing', 'disabled'] as const;
/**
 * - `by_hand`: somebody disabled it.
 * - `gone`: the endpoint returned 410.
 * - `failing`: nothing but failures for five days.
 * - `maker`: the user on whose behalf it sends is disabled, or may no longer have webhooks or read what this one gets.
 */
export const DISABLED_REASONS = ['by_hand', 'gone', 'failing', 'maker'] as const;

export const Webhook = z.object({
  id: RecordId,
  url: z.string(),
  /** Of the events of these types, those that its permissions let it see are sent. */
  types: z.array(EventPattern),
  /** Only events in this project. */
  projectId: RecordId.optional(),
  description: z.string(),
  enabled: z.boolean(),
  /** `failing`: the last attempt failed. */
  state: z.enum(WEBHOOK_STATES),
  disabledReason: z.enum(DISABLED_REASONS).nullable(),
  /** No attempt has succeeded since then. */
  failingSince: Timestamp.nullable(),
  /** The place in the log up to which its deliveries exist. */
  seq: z.int(),
  /** The user on whose behalf it sends: its creator, or the last to change its events or its target. */
  maker: z.object({ userId: RecordId, keyId: RecordId }),
  /** Those of the maker's key at that time. They determine which events are sent. */
  permissions: z.array(z.enum(PERMISSIONS)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Webhook = z.infer<typeof Webhook>;

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** One event for one webhook. What was sent is the event itself, which is in the log under its `seq`. */
export const Delivery = z.object({
  id: RecordId,
  webhookId: RecordId,
  eventId: RecordId,
  /** 0: a test, which is not in the log. */
  seq: z.int(),
  type: z.enum(EVENT_TYPES),
  subject: EventSubject,
  state: z.enum(DELIVERY_STATES),
  /** Attempts so far. */
  attempts: z.int(),
  /** HTTP status of the last attempt, if there was one. */
  status: z.int().nullable(),
  /** Why the last attempt failed. */
  error: z.string().nullable(),
  /** The first 1 024 bytes of the body of the last response. */
  answer: z.string().nullable(),
  durationMs: z.int().nullable(),
  createdAt: Timestamp,
  attemptedAt: Timestamp.nullable(),
  nextAttemptAt: Timestamp.nullable(),
});
export type Delivery = z.infer<typeof Delivery>;
