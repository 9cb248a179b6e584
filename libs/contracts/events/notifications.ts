import { z } from 'zod';
import { ids } from '../examples.ts';
import { Cursor, Id, NextCursor, paging, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Actor } from '../people/actor.ts';

/** What a user is told of, the first of these that a change is: it is told once. `need`: a watched item needs somebody. */
export const NOTIFICATION_KINDS = ['mention', 'assigned', 'need', 'comment', 'move', 'change'] as const;
export const NotificationKind = z.enum(NOTIFICATION_KINDS);
export type NotificationKind = z.infer<typeof NotificationKind>;

/** Marked as read at once. */
const MAX_READ = 500;

export const StoredNotification = z.object({
  id: RecordId,
  kind: NotificationKind,
  at: Timestamp,
  /** `null`: the service itself. */
  actor: Actor.nullable(),
  projectId: RecordId,
  workItemId: RecordId,
  taskId: z.string(),
  /** How the comment begins; of a need, its kind. */
  text: z.string().optional(),
  read: z.boolean(),
});
export type StoredNotification = z.infer<typeof StoredNotification>;

export const notificationFilters = z.strictObject({
  unread: z.boolean().optional().describe('Only what is not read yet'),
  limit: paging.limit,
  cursor: Cursor.optional(),
});

/** The step of `notifications.list` that knows what was told. Neither a route nor a tool. */
export const storedNotifications = operation({
  name: 'notifications.stored',
  summary: 'List what a user was told of, without the items.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: notificationFilters,
  output: z.object({ notifications: z.array(StoredNotification), unread: z.int(), nextCursor: NextCursor }),
  errors: [],
});

/** The part of `forYou.list` that the log knows. Neither a route nor a tool. */
export const listMentions = operation({
  name: 'notifications.mentions',
  summary: 'List the mentions of a user that are not read, oldest first.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    after: z.strictObject({ since: z.iso.datetime(), id: Id }).optional(),
    limit: z.int().min(0).max(100),
  }),
  output: z.object({
    /** One more than `limit` if there are more. */
    mentions: z.array(StoredNotification),
    /** All, up to MAX_COUNTED. */
    count: z.int(),
  }),
  errors: [],
});

export const readNotifications = operation({
  name: 'notifications.read',
  summary: 'Mark notifications as read: these, or all.',
  permissions: ['work-items:read'],
  effect: 'update',
  input: z.strictObject({ ids: z.array(Id).max(MAX_READ).optional() }),
  output: z.object({
    /** How many are left. */
    unread: z.int(),
  }),
  errors: [],
  example: { input: { ids: [ids.event] }, output: { unread: 0 } },
  rest: 'POST /api/notifications/read',
});

const Kinds = z.object(
  Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, z.boolean()])) as Record<NotificationKind, z.ZodBoolean>,
);
const exampleKinds = { mention: true, assigned: true, need: true, comment: true, move: true, change: false };
export const NotificationSettings = z.object({
  /** Of what the user is told, from the next time on. */
  kinds: Kinds,
});

export const getNotificationSettings = operation({
  name: 'notifications.settings',
  summary: 'Show of what you are told.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: NotificationSettings,
  errors: [],
  example: { input: {}, output: { kinds: exampleKinds } },
  rest: 'GET /api/me/notifications',
});

export const updateNotificationSettings = operation({
  name: 'notifications.configure',
  summary: 'Change of what you are told: the kinds that are given.',
  permissions: ['work-items:read'],
  effect: 'update',
  input: z.strictObject({ kinds: Kinds.partial().strict().describe('Such as {"change": true}') }),
  output: NotificationSettings,
  errors: [],
  example: { input: { kinds: { change: false } }, output: { kinds: exampleKinds } },
  rest: 'PATCH /api/me/notifications',
});

/** The steps of `workItems.watch` and the like that store, and read, who watches. Neither routes nor tools. */
export const setWatch = operation({
  name: 'notifications.setWatch',
  summary: 'Begin or end to watch a work item.',
  permissions: ['work-items:read'],
  effect: 'update',
  input: z.strictObject({ workItemId: Id, watching: z.boolean() }),
  output: z.object({ watching: z.boolean() }),
  errors: [],
});

export const isWatching = operation({
  name: 'notifications.isWatching',
  summary: 'Say whether a user watches a work item.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ workItemId: Id }),
  output: z.object({ watching: z.boolean() }),
  errors: [],
});
