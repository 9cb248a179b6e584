import { z } from 'zod';
import { exampleEvent, ids } from '../examples.ts';
import { Cursor, ItemRef, NextCursor, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { HistoryEvent, HistoryName } from './history-event.ts';

export const getWorkItemEvents = operation({
  name: 'workItems.events',
  summary: 'Get the history of a work item, newest first; also of a deleted one.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    workItemId: ItemRef,
    eventType: HistoryName.optional(),
    limit: z.int().min(1).max(200).default(50),
    cursor: Cursor.optional(),
  }),
  output: z.object({
    workItemId: RecordId,
    taskId: z.string(),
    title: z.string(),
    /** How many match the filter, before `limit`. */
    totalEvents: z.int(),
    /** In an `updated` event, old and new values of more than 4 KiB are shortened, with `fromTruncated` or `toTruncated` next to them. */
    events: z.array(HistoryEvent),
    nextCursor: NextCursor,
    /** The result would exceed the maximum size: its oldest events are left out; `nextCursor` leads to them. */
    truncated: z.literal(true).optional(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-T-14', eventType: 'moved' },
    output: {
      workItemId: ids.task,
      taskId: 'W-T-14',
      title: 'Add a dark colour scheme',
      totalEvents: 1,
      events: [exampleEvent],
      nextCursor: null,
    },
  },
  rest: 'GET /api/work-items/:workItemId/events',
  mcp: { tool: 'get_work_item_events', title: 'Get work item history' },
});
