import { z } from 'zod';
import type { EventTypeOf } from '../events/event.ts';
import { RecordId, Timestamp } from '../fields.ts';
import { Actor } from '../people/actor.ts';

/** The history's names for the events of the log that it keeps. */
export const HISTORY_NAMES = {
  'work_item.created': 'created',
  'work_item.updated': 'updated',
  'work_item.moved': 'moved',
  'work_item.deleted': 'deleted',
  'work_item.attachment_added': 'attachment_added',
  'work_item.attachment_removed': 'attachment_removed',
  'work_item.ai_session': 'ai_session',
  'work_item.commented': 'comment',
} as const satisfies Partial<Record<EventTypeOf<'work_item'>, string>>;
export type HistoryName = (typeof HISTORY_NAMES)[keyof typeof HISTORY_NAMES];
export const HistoryName = z.enum(Object.values(HISTORY_NAMES) as [HistoryName, ...HistoryName[]]);

export const HistoryEvent = z.object({
  id: RecordId,
  eventType: HistoryName,
  data: z.record(z.string(), z.unknown()),
  /** As in the log. Versions before 0.2 did not record the agent. */
  actor: Actor,
  createdAt: Timestamp,
});
export type HistoryEvent = z.infer<typeof HistoryEvent>;
