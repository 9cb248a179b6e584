import { z } from 'zod';
import { ids } from '../examples.ts';
import { Cursor, Id, NextCursor, paging, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Actor } from '../people/actor.ts';
import { LANGUAGES } from '../people/languages.ts';
import { Url } from './webhooks.ts';

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
  unread: z.boolean().optional().describe('Only unread ones'),
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
  summary: 'Mark notifications as read: these, those of a work item, or all.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'update',
  input: z.strictObject({
    ids: z.array(Id).max(MAX_READ).optional(),
    workItemId: Id.optional().describe('Only those about this work item'),
  }),
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

/** `at_once`: as it happens. `hourly`: an hour after the first message in it. `daily`: at eight in the morning. */
export const MAIL_TIMES = ['off', 'at_once', 'hourly', 'daily'] as const;
export type MailTimes = (typeof MAIL_TIMES)[number];
export const CHAT_FORMATS = ['slack', 'teams', 'discord'] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');
const TimeZone = z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin');

function isTimeZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
}

/** Every day. What falls into them is told at their end. */
const QuietHours = z
  .strictObject({ from: TimeOfDay, to: TimeOfDay, timeZone: TimeZone })
  .refine(({ from, to }) => from !== to, 'must begin and end at different times');
export type QuietHours = z.infer<typeof QuietHours>;
const ChatWebhook = z.strictObject({ url: Url, format: z.enum(CHAT_FORMATS) });
const exampleQuietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
const exampleChat = { url: 'https://hooks.slack.com/services/T0/B0/x', format: 'slack' as const };

export const NotificationSettings = z.object({
  /** The kinds of events that the user is told of, from the next one on. */
  kinds: Kinds,
  /** In which you are told by mail, in a chat and by push. The console says its own. */
  language: z.enum(LANGUAGES),
  /** When by mail. */
  mail: z.enum(MAIL_TIMES),
  quietHours: QuietHours.nullable(),
  /** Where in a chat. `problem`: why nothing is sent there any more, until it is set again. */
  webhook: ChatWebhook.extend({ problem: z.string().nullable() }).nullable(),
  /** Of which projects each tells: of those of the key that set it. `null`: of all that the user may see. */
  projects: z.object({ mail: z.array(RecordId).nullable(), webhook: z.array(RecordId).nullable() }),
});
export type NotificationSettings = z.infer<typeof NotificationSettings>;

const exampleSettings: NotificationSettings = {
  ...{ kinds: exampleKinds, language: 'de', mail: 'hourly', quietHours: exampleQuietHours },
  ...{ webhook: { ...exampleChat, problem: null }, projects: { mail: null, webhook: null } },
};

export const getNotificationSettings = operation({
  name: 'notifications.settings',
  summary: 'Show your notification settings: kinds and channels.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: NotificationSettings,
  errors: [],
  example: { input: {}, output: exampleSettings },
  rest: 'GET /api/me/notifications',
});

const settingsInput = z.strictObject({
  kinds: Kinds.partial().strict().optional().describe('Such as {"change": true}'),
  language: z.enum(LANGUAGES).optional(),
  mail: z.enum(MAIL_TIMES).optional(),
  quietHours: QuietHours.nullable().optional(),
  webhook: ChatWebhook.nullable().optional(),
});

export const updateNotificationSettings = operation({
  name: 'notifications.configure',
  summary:
    'Change the kinds of your notifications, their other channels (mail, a chat), and the quiet hours. Omitted fields stay.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'update',
  input: settingsInput,
  output: NotificationSettings,
  errors: [],
  example: {
    input: { language: 'de', mail: 'hourly', quietHours: exampleQuietHours, webhook: exampleChat },
    output: exampleSettings,
  },
  rest: 'PATCH /api/me/notifications',
});

/** The step of `notifications.configure` that stores. The gateway knows the address. Neither a route nor a tool. */
export const storeNotificationSettings = operation({
  name: 'notifications.store',
  summary: 'Store of what a user is told, and where.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'update',
  input: settingsInput.extend({ address: z.string() }),
  output: NotificationSettings,
  errors: [],
});

/** For the address in each mail that ends all of them (RFC 8058), which needs no key. */
export const unsubscribe = operation({
  name: 'notifications.unsubscribe',
  summary: 'End the mails to a user.',
  permissions: 'internal',
  effect: 'update',
  input: z.strictObject({ token: z.string().max(200) }),
  /** `false`: not signed by this service. */
  output: z.object({ unsubscribed: z.boolean() }),
  errors: [],
});

/** The steps of `workItems.watch` and the like that store, and read, who watches. Neither routes nor tools. */
export const setWatch = operation({
  name: 'notifications.setWatch',
  summary: 'Begin or end to watch a work item.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'update',
  input: z.strictObject({ workItemId: Id, watching: z.boolean() }),
  output: z.object({ watching: z.boolean() }),
  errors: [],
});

export const isWatching = operation({
  name: 'notifications.isWatching',
  summary: 'Say whether a user watches a work item, and what of it is not read.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ workItemId: Id }),
  output: z.object({ watching: z.boolean(), hasUnread: z.boolean() }),
  errors: [],
});
