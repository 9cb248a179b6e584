import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { PERMISSIONS } from '../permissions.ts';
import { EVENT_TYPES, EventSubject, type EventType, SUBJECT_KINDS, type SubjectKind } from './event.ts';

/** What a webhook asks for: a type, all of a kind (`work_item.*`), or all. */
const EVENT_PATTERNS = ['*', ...SUBJECT_KINDS.map((kind) => `${kind}.*` as const), ...EVENT_TYPES] as const;
export const EventPattern = z.enum(EVENT_PATTERNS as readonly ['*', ...('*' | `${SubjectKind}.*` | EventType)[]]);
export type EventPattern = z.infer<typeof EventPattern>;

export const WEBHOOK_STATES = ['active', 'failing', 'disabled'] as const;
/**
 * `by_hand`; `gone`: the endpoint answered 410; `failing`: nothing but failures for five days; `maker`: the user in whose name it sends is
 * disabled, or may not have webhooks any more.
 */
export const DISABLED_REASONS = ['by_hand', 'gone', 'failing', 'maker'] as const;

export const Webhook = z.object({
  id: RecordId,
  url: z.string(),
  /** Sent are the events of these types that its permissions let it see. */
  types: z.array(EventPattern),
  /** Events of this project alone. */
  projectId: RecordId.optional(),
  description: z.string(),
  enabled: z.boolean(),
  /** `failing`: the last attempt failed. */
  state: z.enum(WEBHOOK_STATES),
  disabledReason: z.enum(DISABLED_REASONS).nullable(),
  /** Since when no attempt has succeeded. */
  failingSince: Timestamp.nullable(),
  /** Up to where in the log its deliveries were made. */
  seq: z.int(),
  /** In whose name it sends: who created it, or was the last to change what it sends and where. */
  maker: z.object({ userId: RecordId, keyId: RecordId }),
  /** Those that the maker's key had then. They decide which events are sent. */
  permissions: z.array(z.enum(PERMISSIONS)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Webhook = z.infer<typeof Webhook>;

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** One event for one webhook. What was sent is the event: the log has it, by its `seq`. */
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
  /** Of the last attempt: the HTTP status, where there was one. */
  status: z.int().nullable(),
  /** Of the last attempt: why it failed. */
  error: z.string().nullable(),
  /** Of the last attempt: the first 1 024 bytes of the answer's body. */
  answer: z.string().nullable(),
  durationMs: z.int().nullable(),
  createdAt: Timestamp,
  attemptedAt: Timestamp.nullable(),
  nextAttemptAt: Timestamp.nullable(),
});
export type Delivery = z.infer<typeof Delivery>;
