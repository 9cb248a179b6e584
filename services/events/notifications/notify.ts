import { createHash } from 'node:crypto';
import type { EventType, PublishedLogEvent } from '@worktrack/contracts/events/event';
import { NOTIFICATION_KINDS, type NotificationKind } from '@worktrack/contracts/events/notifications';
import { uuidv7At } from '@worktrack/runtime/process/uuid';
import type { NotificationRecord } from './notifications.model.ts';
import {
  forgetItem,
  forgetUser,
  insertNotifications,
  settingsOfUsers,
  watchersOf,
} from './notifications.repository.ts';
import { withDefaults } from './settings.ts';

/** What those who watch an item are told of. */
const WATCHED: Partial<Record<EventType, NotificationKind>> = {
  'work_item.needs_attention': 'need',
  'work_item.commented': 'comment',
  'work_item.moved': 'move',
  'work_item.updated': 'change',
};
const MAX_TEXT_LENGTH = 300;

/**
 * Tells users what events say to them, or of items that they watch: each of a write once, the first of its kinds, and nobody of what they did themselves, unless an agent
 * did it in their name. Events may come twice.
 */
export async function notify(events: readonly PublishedLogEvent[]): Promise<void> {
  const watchable = events.filter(({ type }) => WATCHED[type] !== undefined);
  const watchers = await watchersOfAll(watchable);
  const drafts = events.flatMap((event) => [
    ...addressed(event),
    ...(WATCHED[event.type] ? (watchers.get(event.subject.id) ?? []) : []).map((userId) =>
      draft(event, userId, WATCHED[event.type] as NotificationKind),
    ),
  ]);
  await insertNotifications(firstKinds(await wanted(drafts)));
  for (const { type, organizationId, subject } of events) {
    if (type === 'work_item.deleted') await forgetItem(organizationId, subject.id);
  }
}

export const forgetErased = forgetUser;

async function watchersOfAll(events: readonly PublishedLogEvent[]): Promise<ReadonlyMap<string, string[]>> {
  if (events.length === 0) return new Map();
  const found = await watchersOf(organizationsOf(events), [...new Set(events.map(({ subject }) => subject.id))]);
  const byItem = Map.groupBy(found, ({ workItemId }) => workItemId);
  return new Map([...byItem].map(([id, watchers]) => [id, watchers.map(({ userId }) => userId)]));
}

/** What an event says to users themselves. */
function addressed(event: PublishedLogEvent): NotificationRecord[] {
  const { type, data, subject } = event;
  if (subject.kind !== 'work_item') return [];
  const { mentions, kind, userId } = data;
  const isAssigned = type === 'work_item.needs_attention' && kind === 'assigned' && typeof userId === 'string';
  const mentioned = Array.isArray(mentions) ? mentions.filter((id) => typeof id === 'string') : [];
  return [
    ...mentioned.map((id) => draft(event, id, 'mention')),
    ...(isAssigned ? [draft(event, userId, 'assigned')] : []),
  ];
}

function draft(event: PublishedLogEvent, userId: string, kind: NotificationKind): NotificationRecord {
  const { organizationId, subject, revision, at, actor, projectId = '', data } = event;
  const { text, kind: need } = data;
  const said = kind === 'need' ? need : text;
  const hash = createHash('sha256').update(`${subject.id}\n${revision}\n${userId}`).digest();
  return {
    _id: uuidv7At(new Date(at), hash),
    ...{ organizationId, userId, workItemId: subject.id, revision, kind, at: new Date(at), actor, projectId },
    taskId: subject.taskId ?? '',
    ...(typeof said === 'string' && { text: said.slice(0, MAX_TEXT_LENGTH) }),
    isRead: false,
  };
}

async function wanted(drafts: readonly NotificationRecord[]): Promise<NotificationRecord[]> {
  const ofOthers = drafts.filter(({ actor, userId }) => actor?.userId !== userId || actor.agent !== undefined);
  if (ofOthers.length === 0) return [];
  const userIds = [...new Set(ofOthers.map(({ userId }) => userId))];
  const settings = await settingsOfUsers(organizationsOf(ofOthers), userIds);
  return ofOthers.filter(({ userId, kind }) => withDefaults(settings.get(userId))[kind]);
}

/** One of each write and user. */
function firstKinds(drafts: readonly NotificationRecord[]): NotificationRecord[] {
  const rank = ({ kind }: NotificationRecord) => NOTIFICATION_KINDS.indexOf(kind);
  const ofWrite = ({ workItemId, revision, userId }: NotificationRecord) => `${workItemId} ${revision} ${userId}`;
  const inOrder = [...drafts].sort((one, other) => rank(one) - rank(other));
  return [...Map.groupBy(inOrder, ofWrite).values()].flatMap(([first]) => first ?? []);
}

const organizationsOf = (all: readonly { readonly organizationId: string }[]) => [
  ...new Set(all.map(({ organizationId }) => organizationId)),
];
