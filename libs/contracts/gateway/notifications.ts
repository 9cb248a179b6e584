import { z } from 'zod';
import { notificationFilters, StoredNotification } from '../events/notifications.ts';
import { exampleSummary, ids, times } from '../examples.ts';
import { ItemRef, NextCursor, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { WorkItemSummary } from '../work-items/work-item.ts';

export const Notification = StoredNotification.extend({
  /** As it is now; absent if it is gone. */
  workItem: WorkItemSummary.optional(),
});
export type Notification = z.infer<typeof Notification>;

const example: Notification = {
  ...{ id: ids.event, kind: 'comment', at: times.updatedAt, actor: { userId: ids.user, keyId: ids.key } },
  ...{ projectId: ids.project, workItemId: ids.task, taskId: 'W-T-14', text: 'Which blue?', read: false },
  workItem: exampleSummary,
};

export const listNotifications = operation({
  name: 'notifications.list',
  summary: 'List your notifications, newest first: mentions, assignments, and changes of items that you watch.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: notificationFilters,
  output: z.object({
    notifications: z.array(Notification),
    /** How many are not read; of more than 10 000, 10 000. */
    unread: z.int(),
    nextCursor: NextCursor,
  }),
  errors: [],
  example: { input: { unread: true }, output: { notifications: [example], unread: 1, nextCursor: null } },
  rest: 'GET /api/notifications',
});

const watchInput = z.strictObject({ workItemId: ItemRef });
const watchOutput = z.object({
  workItemId: RecordId,
  taskId: z.string(),
  /** Whether you are told what happens to it. */
  watching: z.boolean(),
});
const exampleWatch = { workItemId: ids.task, taskId: 'W-T-14', watching: true };

export const showWatch = operation({
  name: 'workItems.watching',
  summary: 'Say whether you watch a work item.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: watchInput,
  /** `hasUnread`: whether you were told of it what you have not read. */
  output: watchOutput.extend({ hasUnread: z.boolean() }),
  errors: ['NOT_FOUND'],
  example: { input: { workItemId: 'W-T-14' }, output: { ...exampleWatch, hasUnread: false } },
  rest: 'GET /api/work-items/:workItemId/watch',
});

export const watchWorkItem = operation({
  name: 'workItems.watch',
  summary: 'Watch a work item: you are notified of changes by others and by your agents.',
  permissions: ['work-items:read'],
  effect: 'update',
  input: watchInput,
  output: watchOutput,
  errors: ['NOT_FOUND'],
  example: { input: { workItemId: 'W-T-14' }, output: exampleWatch },
  rest: 'PUT /api/work-items/:workItemId/watch',
});

export const unwatchWorkItem = operation({
  name: 'workItems.unwatch',
  summary: 'Watch a work item no longer.',
  permissions: ['work-items:read'],
  effect: 'update',
  input: watchInput,
  output: watchOutput,
  errors: ['NOT_FOUND'],
  example: { input: { workItemId: 'W-T-14' }, output: { ...exampleWatch, watching: false } },
  rest: 'DELETE /api/work-items/:workItemId/watch',
});
