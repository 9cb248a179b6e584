import type {
  listMentions as mentionsOperation,
  readNotifications as readOperation,
  StoredNotification,
  storedNotifications as storedOperation,
  isWatching as watchingOperation,
  setWatch as watchOperation,
} from '@worktrack/contracts/events/notifications';
import type { Read, WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
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

export const storedNotifications: Read<typeof storedOperation> = async (
  { unread: isUnread, limit, cursor },
  { caller, fail },
) => {
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
};

export const listMentions: Read<typeof mentionsOperation> = async ({ after, limit }, { caller }) => {
  const found =
    limit === 0
      ? []
      : await unreadMentions(caller, { after: after && placeOf(after.since, after.id), limit: limit + 1 });
  return { mentions: found.map(stored), count: await countUnread(caller, 'mention') };
};

export const readNotifications: WriteAlone<typeof readOperation> = async ({ ids, workItemId }, { caller, tx }) => {
  if (ids === undefined && workItemId === undefined) {
    await markRead(caller, {}, tx);
    return { unread: 0 };
  }
  // Counted no further than MAX_COUNTED: more than can be marked by id, though an item may have more.
  const before = await countUnread(caller);
  return { unread: Math.max(0, before - (await markRead(caller, { ids, workItemId }, tx))) };
};

export const setWatch: WriteAlone<typeof watchOperation> = async ({ workItemId, watching }, { caller, tx }) => {
  await saveWatch(caller, workItemId, watching, tx);
  return { watching };
};

export const isWatching: Read<typeof watchingOperation> = async ({ workItemId }, { caller }) => {
  const [watching, hasUnread] = await Promise.all([isWatched(caller, workItemId), isUnread(caller, workItemId)]);
  return { watching, hasUnread };
};

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
