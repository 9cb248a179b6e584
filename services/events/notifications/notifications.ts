import type {
  listMentions as mentionsOperation,
  readNotifications as readOperation,
  StoredNotification,
  storedNotifications as storedOperation,
  isWatching as watchingOperation,
  setWatch as watchOperation,
} from '@worktrack/contracts/events/notifications';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { readCursor, unknownCursor, writeCursor } from '@worktrack/runtime/validation/cursor';
import { z } from 'zod';
import type { NotificationRecord } from './notifications.model.ts';
import {
  countUnread,
  isUnread,
  isWatched,
  markRead,
  newestOf,
  saveWatch,
  unreadMentions,
} from './notifications.repository.ts';

/** When the last one of a page was, and its id. */
const Place = z.tuple([z.iso.datetime(), z.uuid()]);

export async function storedNotifications(
  { unread: isUnread, limit, cursor }: Input<typeof storedOperation>,
  { caller, fail }: ReadContext<FailureOf<typeof storedOperation>>,
): Promise<Output<typeof storedOperation>> {
  const list = ['notifications', caller.organizationId, caller.userId, isUnread ?? null];
  const last = cursor === undefined ? undefined : readCursor(cursor, list, Place);
  if (cursor !== undefined && !last) throw unknownCursor(fail);
  const found = await newestOf(caller, isUnread, { after: last && placeOf(...last), limit: limit + 1 });
  const shown = found.slice(0, limit);
  const end = found.length > limit ? shown.at(-1) : undefined;
  return {
    notifications: shown.map(stored),
    unread: await countUnread(caller),
    nextCursor: end ? writeCursor([end.at.toISOString(), end._id], list) : null,
  };
}

export async function listMentions(
  { after, limit }: Input<typeof mentionsOperation>,
  { caller }: ReadContext,
): Promise<Output<typeof mentionsOperation>> {
  const found =
    limit === 0
      ? []
      : await unreadMentions(caller, { after: after && placeOf(after.since, after.id), limit: limit + 1 });
  return { mentions: found.map(stored), count: await countUnread(caller, 'mention') };
}

export async function readNotifications(
  { ids, workItemId }: Input<typeof readOperation>,
  { caller, tx }: WriteContext,
): Promise<Output<typeof readOperation>> {
  if (ids === undefined && workItemId === undefined) {
    await markRead(caller, {}, tx);
    return { unread: 0 };
  }
  // Counted no further than MAX_COUNTED: more than can be marked by id, though an item may have more.
  const before = await countUnread(caller);
  return { unread: Math.max(0, before - (await markRead(caller, { ids, workItemId }, tx))) };
}

export async function setWatch(
  { workItemId, watching }: Input<typeof watchOperation>,
  { caller, tx }: WriteContext,
): Promise<Output<typeof watchOperation>> {
  await saveWatch(caller, workItemId, watching, tx);
  return { watching };
}

export async function isWatching(
  { workItemId }: Input<typeof watchingOperation>,
  { caller }: ReadContext,
): Promise<Output<typeof watchingOperation>> {
  const [watching, hasUnread] = await Promise.all([isWatched(caller, workItemId), isUnread(caller, workItemId)]);
  return { watching, hasUnread };
}

const placeOf = (at: string, id: string) => ({ value: new Date(at), id });

function stored({
  _id,
  kind,
  at,
  actor,
  projectId,
  workItemId,
  taskId,
  text,
  isRead,
}: NotificationRecord): StoredNotification {
  return {
    ...{ id: _id, kind, at: at.toISOString(), actor, projectId, workItemId, taskId },
    ...(text !== undefined && { text }),
    read: isRead,
  };
}
