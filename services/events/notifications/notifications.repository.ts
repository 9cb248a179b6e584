import type { Caller } from '@worktrack/contracts/caller';
import type { NotificationKind } from '@worktrack/contracts/events/notifications';
import { MAX_COUNTED } from '@worktrack/contracts/fields';
import { intersectionOf } from '@worktrack/contracts/rights';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { countInOrder, inOrder, type PageEnd } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { databaseServer } from '@worktrack/runtime/database/server';
import { removeEach } from '@worktrack/runtime/database/writes/remove-each';
import mongoose, { type ClientSession } from 'mongoose';
import {
  NotificationModel,
  type NotificationRecord,
  SettingsModel,
  type SettingsRecord,
  WatchModel,
} from './notifications.model.ts';

type Limits = Pick<Caller, 'organizationId' | 'userId' | 'projects'>;
const DIRECT: readonly NotificationKind[] = ['mention', 'assigned'];

/** Of what is in projects that the caller may see. */
function own({ organizationId, userId, projects }: Limits): Record<string, unknown> {
  return { organizationId, userId, ...(projects && { projectId: { $in: [...projects] } }) };
}

/** Of the projects that another key of the user may have set, those that exist for this one. */
export function existing(
  ids: readonly string[] | null | undefined,
  { projects }: Pick<Caller, 'projects'>,
): string[] | null {
  return ids ? intersectionOf(ids, projects) : null;
}

const BY_AGE = { field: 'at', direction: 1 } as const;
const BY_NEWNESS = { field: 'at', direction: -1 } as const;

/** Newest first. */
export function newestOf(
  caller: Limits,
  isUnread: boolean | undefined,
  { after, limit }: { readonly after: PageEnd | undefined; readonly limit: number },
): Promise<NotificationRecord[]> {
  const filter = { ...own(caller), ...(isUnread !== undefined && { isRead: !isUnread }) };
  return inOrder(NotificationModel, { filter, order: BY_NEWNESS, after, limit, present: [] });
}

/** Oldest first. */
export function unreadMentions(
  caller: Limits,
  { after, limit }: { readonly after: PageEnd | undefined; readonly limit: number },
): Promise<NotificationRecord[]> {
  const filter = { ...own(caller), isRead: false, kind: 'mention' };
  return inOrder(NotificationModel, { filter, order: BY_AGE, after, limit, present: [] });
}

/** @returns at most MAX_COUNTED */
export function countUnread(caller: Limits, kind?: NotificationKind): Promise<number> {
  const filter = { ...own(caller), isRead: false, ...(kind && { kind }) };
  return countInOrder(NotificationModel, { filter, order: kind ? BY_AGE : BY_NEWNESS, limit: MAX_COUNTED });
}

interface Which {
  readonly ids?: readonly string[] | undefined;
  readonly workItemId?: string | undefined;
}

/** Of what the caller may see. @param which all, if it says neither */
function unread({ organizationId, userId, projects }: Limits, { ids, workItemId }: Which) {
  return {
    ...{ organizationId, userId, isRead: false },
    ...(projects && { projectId: oneOf(projects) }),
    ...(ids && { _id: oneOf(ids) }),
    // With any revision, so that the index of an item's notifications is the best: there may be thousands of a user that are not read.
    ...(workItemId !== undefined && { workItemId, revision: mongoose.trusted({ $gte: 0 }) }),
  };
}

/** @returns how many were not read before */
export async function markRead(caller: Limits, which: Which, tx: ClientSession): Promise<number> {
  const change = { $set: { isRead: true }, $unset: { untold: '' } };
  return (await NotificationModel.updateMany(unread(caller, which), change, { session: tx })).modifiedCount;
}

/** Whether something that was told of an item is not read. */
export async function isUnread(caller: Limits, workItemId: string): Promise<boolean> {
  return (await NotificationModel.exists(unread(caller, { workItemId }))) !== null;
}

/**
 * Each once, however often it comes. Of a write of which a part came before, what is said to the user themselves takes the place of what was told to whoever watches.
 */
export async function insertNotifications(records: readonly NotificationRecord[]): Promise<void> {
  const last = records.at(-1);
  if (!last) return;
  try {
    await NotificationModel.insertMany([...records], { ordered: false, lean: true });
    await databaseServer().confirmInsert(NotificationModel, last._id);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    for (const { _id, organizationId, workItemId, userId, revision, untold: _, ...said } of records) {
      if (!DIRECT.includes(said.kind)) continue;
      const place = { organizationId, workItemId, userId, revision, kind: mongoose.trusted({ $nin: [...DIRECT] }) };
      await NotificationModel.updateOne(place, { $set: said });
    }
  }
}

interface Watcher {
  readonly organizationId: string;
  readonly workItemId: string;
  readonly userId: string;
}

export async function watchersOf(
  organizationIds: readonly string[],
  workItemIds: readonly string[],
): Promise<Watcher[]> {
  const organizationId = oneOf(organizationIds);
  return WatchModel.find({ organizationId, workItemId: oneOf(workItemIds) }).lean();
}

const watchId = (workItemId: string, userId: string) => `${workItemId}/${userId}`;

export async function isWatched({ organizationId, userId }: Limits, workItemId: string): Promise<boolean> {
  return (await WatchModel.exists({ organizationId, workItemId, userId })) !== null;
}

export async function saveWatch(
  { organizationId, userId }: Limits,
  workItemId: string,
  isWatching: boolean,
  tx: ClientSession,
): Promise<void> {
  const _id = watchId(workItemId, userId);
  if (!isWatching) await WatchModel.deleteOne({ organizationId, _id }, { session: tx });
  else {
    const options = { upsert: true, session: tx };
    await WatchModel.updateOne({ organizationId, _id }, { $setOnInsert: { workItemId, userId } }, options);
  }
}

export async function settingsOfUsers(
  organizationIds: readonly string[],
  userIds: readonly string[],
): Promise<ReadonlyMap<string, SettingsRecord>> {
  const organizationId = oneOf(organizationIds);
  const found = await SettingsModel.find({ _id: oneOf(userIds), organizationId }).lean();
  return new Map(found.map((settings) => [settings._id, settings]));
}

type Whose = Pick<Caller, 'organizationId' | 'userId'>;

export async function settingsOfUser({ organizationId, userId }: Whose): Promise<SettingsRecord | undefined> {
  return (await SettingsModel.findOne({ organizationId, _id: userId }).lean()) ?? undefined;
}

/** What is left out stays. A channel that is null is turned off. */
export interface SettingsChange extends Pick<SettingsRecord, 'kinds' | 'language' | 'quietHours'> {
  readonly mail?: SettingsRecord['mail'] | null;
  readonly webhook?: SettingsRecord['webhook'] | null;
}

export async function saveSettings(
  { organizationId, userId }: Whose,
  { kinds, ...change }: SettingsChange,
  tx: ClientSession,
): Promise<SettingsRecord> {
  const set = {
    ...Object.fromEntries(Object.entries(kinds).map(([kind, isOn]) => [`kinds.${kind}`, isOn])),
    ...change,
  };
  return await SettingsModel.findOneAndUpdate(
    { organizationId, _id: userId },
    {
      ...(Object.keys(set).length > 0 && { $set: set }),
      ...(Object.keys(kinds).length === 0 && { $setOnInsert: { kinds: {} } }),
    },
    { upsert: true, session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

export async function turnMailOff({ organizationId, userId }: Whose, tx: ClientSession): Promise<void> {
  await SettingsModel.updateOne({ organizationId, _id: userId }, { $set: { mail: null } }, { session: tx });
}

/** Unless it was set again meanwhile. @param why for the user */
export async function stopWebhook(
  { organizationId, userId }: Whose,
  { since }: NonNullable<SettingsRecord['webhook']>,
  why: string,
): Promise<void> {
  const asItWas = { organizationId, _id: userId, 'webhook.since': since };
  await SettingsModel.updateOne(asItWas, { $set: { 'webhook.problem': why } });
}

/** One by one, as for what was told (channels.repository.ts). */
export async function turnChannelsOff(organizationId: string, userIds: readonly string[]): Promise<void> {
  const update = { $set: { mail: null, webhook: null } };
  await SettingsModel.bulkWrite(
    userIds.map((_id) => ({ updateOne: { filter: { organizationId, _id }, update } })),
    { ordered: false },
  );
}

/** A user may see less from now on. */
export async function limitChannels({ organizationId, userId }: Whose, projects: readonly string[]): Promise<void> {
  const own = { organizationId, _id: userId };
  const settings = await settingsOfUser({ organizationId, userId });
  if (!settings) return;
  for (const channel of ['mail', 'webhook'] as const) {
    const was = settings[channel];
    if (!was) continue;
    const asItWas = { ...own, [`${channel}.since`]: was.since };
    await SettingsModel.updateOne(asItWas, {
      $set: { [`${channel}.projects`]: intersectionOf(was.projects, projects) },
    });
  }
}

export async function forgetItems(organizationId: string, workItemIds: readonly string[]): Promise<void> {
  const which = { organizationId, workItemId: oneOf(workItemIds) };
  await removeEach(WatchModel, which);
  await removeEach(NotificationModel, which);
}

export async function forgetUser(organizationId: string, userId: string): Promise<void> {
  await removeEach(WatchModel, { organizationId, userId });
  await removeEach(NotificationModel, { organizationId, userId });
  await SettingsModel.deleteOne({ organizationId, _id: userId });
}
