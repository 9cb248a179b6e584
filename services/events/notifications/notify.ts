import { createHash } from 'node:crypto';
import type { EventType, PublishedLogEvent } from '@worktrack/contracts/events/event';
import { NOTIFICATION_KINDS, type NotificationKind } from '@worktrack/contracts/events/notifications';
import type { Permission } from '@worktrack/contracts/permissions';
import { uuidv7At } from '@worktrack/runtime/process/uuid';
import { forgetChannels, type Wake, wakeChannels } from './channels/channels.repository.ts';
import { browsersOfUsers, limitBrowsers, removeBrowsers } from './channels/push/browsers.repository.ts';
import { tellAtMs } from './channels/times.ts';
import { withDefaults } from './kinds.ts';
import type { NotificationRecord, Place, SettingsRecord } from './notifications.model.ts';
import {
  forgetItems,
  forgetUser,
  insertNotifications,
  limitChannels,
  settingsOfUsers,
  turnChannelsOff,
  watchersOf,
} from './notifications.repository.ts';

/** What those who watch an item are told of. */
const WATCHED: Partial<Record<EventType, NotificationKind>> = {
  'work_item.needs_attention': 'need',
  'work_item.commented': 'comment',
  'work_item.moved': 'move',
  'work_item.updated': 'change',
};
const MAX_TEXT_LENGTH = 300;

/**
 * Tells users about events that are addressed to them, or concern items that they watch. Of each write a user is told once, by the first of its kinds. Nobody
 * is told of their own actions, unless an agent acted in their name. Events may come twice.
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
  const told = firstKinds(await wanted(drafts));
  await insertNotifications(told.map(({ record }) => record));
  // Also of those that were there before: whoever inserted them may have died since.
  await wakeChannels(told.flatMap(({ wakes }) => wakes));
  const deleted = events.filter(({ type }) => type === 'work_item.deleted');
  for (const [organizationId, items] of Map.groupBy(deleted, (event) => event.organizationId)) {
    await forgetItems(organizationId, [...new Set(items.map(({ subject }) => subject.id))]);
  }
  await followUsers(events.filter(({ type }) => type === 'user.updated'));
}

export async function forgetErased(organizationId: string, userId: string): Promise<void> {
  await forgetUser(organizationId, userId);
  await forgetChannels(organizationId, userId);
}

/** Channels do not outlive what their users may see. Those who see nothing any more go together: a change of a role is an event of each of its users, who may be thousands. */
async function followUsers(events: readonly PublishedLogEvent[]): Promise<void> {
  const unseeing = Map.groupBy(events.filter(seesNothing), ({ organizationId }) => organizationId);
  for (const [organizationId, ofOrganization] of unseeing) {
    const userIds = [...new Set(ofOrganization.map(({ subject }) => subject.id))];
    await turnChannelsOff(organizationId, userIds);
    await removeBrowsers(organizationId, userIds);
  }
  for (const event of events) {
    const projects = changesOf(event).projects?.to;
    if (!Array.isArray(projects) || seesNothing(event)) continue;
    const whose = { organizationId: event.organizationId, userId: event.subject.id };
    await limitChannels(whose, projects);
    await limitBrowsers(whose, projects);
  }
}

function seesNothing(event: PublishedLogEvent): boolean {
  const permissions = event.data.permissions as readonly Permission[] | undefined;
  return (
    changesOf(event).disabled?.to === true || (permissions !== undefined && !permissions.includes('work-items:read'))
  );
}

const changesOf = ({ data }: PublishedLogEvent) =>
  (data.changes ?? {}) as Readonly<Record<string, { readonly to?: unknown } | undefined>>;

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
  const { title, text, kind: need } = data;
  const said = kind === 'need' ? need : text;
  const hash = createHash('sha256').update(`${subject.id}\n${revision}\n${userId}`).digest();
  return {
    _id: uuidv7At(new Date(at), hash),
    ...{ organizationId, userId, workItemId: subject.id, revision, kind, at: new Date(at), actor, projectId },
    taskId: subject.taskId ?? '',
    ...(typeof title === 'string' && { title: title.slice(0, MAX_TEXT_LENGTH) }),
    ...(typeof said === 'string' && { text: said.slice(0, MAX_TEXT_LENGTH) }),
    isRead: false,
  };
}

/** A notification, and the channels that are to tell it. */
interface Told {
  readonly record: NotificationRecord;
  readonly wakes: readonly Wake[];
}

async function wanted(drafts: readonly NotificationRecord[]): Promise<Told[]> {
  const ofOthers = drafts.filter(({ actor, userId }) => actor?.userId !== userId || actor.agent !== undefined);
  if (ofOthers.length === 0) return [];
  const userIds = [...new Set(ofOthers.map(({ userId }) => userId))];
  const [settings, browsers] = await Promise.all([
    settingsOfUsers(organizationsOf(ofOthers), userIds),
    browsersOfUsers(organizationsOf(ofOthers), userIds),
  ]);
  const placesOf = Map.groupBy(browsers, ({ userId }) => userId);
  return ofOthers.flatMap((record) => {
    const own = settings.get(record.userId);
    const places = (placesOf.get(record.userId) ?? []).map(({ push }): Place => `push/${push.id}`);
    return withDefaults(own?.kinds)[record.kind] ? [withWakes(record, own, places)] : [];
  });
}

function withWakes(record: NotificationRecord, settings: SettingsRecord | undefined, browsers: readonly Place[]): Told {
  const { organizationId, userId, at } = record;
  const { mail, webhook, quietHours } = settings ?? {};
  const places: readonly Place[] = [
    ...(mail ? ['mail' as const] : []),
    ...(webhook ? ['webhook' as const] : []),
    ...browsers,
  ];
  const wakes = places.map((place) => {
    const times = place === 'mail' && mail ? mail.times : 'at_once';
    return {
      organizationId,
      userId,
      place,
      dueAt: new Date(tellAtMs({ times, quietHours }, at.getTime(), Date.now())),
    };
  });
  const untold = wakes.map(({ place }) => place);
  return { record: { ...record, ...(untold.length > 0 && { untold }) }, wakes };
}

/** One of each write and user. */
function firstKinds(all: readonly Told[]): Told[] {
  const rank = ({ record: { kind } }: Told) => NOTIFICATION_KINDS.indexOf(kind);
  const ofWrite = ({ record: { workItemId, revision, userId } }: Told) => `${workItemId} ${revision} ${userId}`;
  const inOrder = [...all].sort((one, other) => rank(one) - rank(other));
  return [...Map.groupBy(inOrder, ofWrite).values()].flatMap(([first]) => first ?? []);
}

const organizationsOf = (all: readonly { readonly organizationId: string }[]) => [
  ...new Set(all.map(({ organizationId }) => organizationId)),
];
