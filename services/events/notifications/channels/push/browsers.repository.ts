import { intersectionOf } from '@worktrack/contracts/rights';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { ClientSession } from 'mongoose';
import type { NotificationRecord, Place } from '../../notifications.model.ts';
import { ChannelModel, type ChannelRecord, type PushRecord } from '../channels.model.ts';
import { FREE, WELL } from '../channels.repository.ts';

type Whose = Pick<NotificationRecord, 'organizationId' | 'userId'>;

export type PushChannel = ChannelRecord & { readonly push: PushRecord };

const placeOfBrowser = (id: string): Place => `push/${id}`;

/** The longest known first. */
export async function browsersOf(whose: Whose, tx?: ClientSession): Promise<PushChannel[]> {
  return browsersOfUsers([whose.organizationId], [whose.userId], tx);
}

export async function browsersOfUsers(
  organizationIds: readonly string[],
  userIds: readonly string[],
  tx?: ClientSession,
): Promise<PushChannel[]> {
  const which = {
    organizationId: oneOf(organizationIds),
    userId: oneOf(userIds),
  };
  const all = await ChannelModel.find(which, null, { session: tx ?? null }).lean();
  const found = all.flatMap((channel) => (channel.push ? [{ ...channel, push: channel.push }] : []));
  return found.sort((one, other) => one.push.since.getTime() - other.push.since.getTime());
}

/** @param isNew for the user: whoever had it has it no longer, and who is telling there says nothing more about it */
export async function saveBrowser(
  { organizationId, userId }: Whose,
  push: PushRecord,
  isNew: boolean,
  tx: ClientSession,
): Promise<void> {
  const well = { dueAt: new Date(), ...WELL };
  await ChannelModel.updateOne(
    { organizationId, _id: placeOfBrowser(push.id) },
    {
      $set: { ...well, ...(isNew && FREE), userId, channel: 'push', push },
      $inc: { wakes: 1 },
      ...(isNew && { $unset: { toldAt: '' } }),
    },
    { upsert: true, session: tx },
  );
}

/** @returns whether the user had it */
export async function removeBrowser(
  { organizationId, userId, id }: Whose & { readonly id: string },
  tx?: ClientSession,
): Promise<boolean> {
  const own = { organizationId, _id: placeOfBrowser(id), userId };
  return (await ChannelModel.deleteOne(own, tx && { session: tx })).deletedCount > 0;
}

/** All that these users have. */
export async function removeBrowsers(organizationId: string, userIds: readonly string[]): Promise<void> {
  const found = await browsersOfUsers([organizationId], userIds);
  if (found.length === 0) return;
  await ChannelModel.bulkWrite(
    found.map(({ _id, userId }) => ({ deleteOne: { filter: { organizationId, _id, userId } } })),
    { ordered: false },
  );
}

/** A user may see less from now on. */
export async function limitBrowsers(whose: Whose, projects: readonly string[]): Promise<void> {
  for (const { organizationId, userId, push } of await browsersOf(whose)) {
    const own = { organizationId, _id: placeOfBrowser(push.id), userId };
    await ChannelModel.updateOne(own, { $set: { 'push.projects': intersectionOf(push.projects, projects) } });
  }
}
