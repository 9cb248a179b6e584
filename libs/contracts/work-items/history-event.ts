import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { Actor } from '../people/actor.ts';

export const EVENT_TYPES = [
  'created',
  'updated',
  'moved',
  'deleted',
  'attachment_added',
  'attachment_removed',
  'ai_session',
  'comment',
] as const;
export const EventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof EventType>;

export const HistoryEvent = z.object({
  id: RecordId,
  eventType: EventType,
  data: z.record(z.string(), z.unknown()),
  /** As in the log. Versions before 0.2 did not record the agent. */
  actor: Actor,
  createdAt: Timestamp,
});
export type HistoryEvent = z.infer<typeof HistoryEvent>;
