import { removeEach } from '@worktrack/runtime/database/writes/remove-each';
import mongoose, { type ClientSession } from 'mongoose';
import { type Channel, NotificationModel, type NotificationRecord, type Place } from '../notifications.model.ts';
import { ChannelModel, type ChannelRecord } from './channels.model.ts';

const LONG_AGO = new Date(0);
const idOf = (userId: string, place: Place) => (place.startsWith('push/') ? place : `${userId}/${place}`);
/** What untold notifications call it. */
const placeOf = ({ _id, channel }: ChannelRecord) => (channel === 'push' ? (_id as Place) : channel);

export const WELL = { attempts: 0, unwell: false, notBefore: LONG_AGO };
export const FREE = { holder: '', heldUntil: LONG_AGO };

/**
 * A channel that was set: it is well, and looks at once for what it has to tell.
 * @param isElsewhere it leads to another place than before: whoever is telling there says nothing more about it
 */
export async function resetChannel(
  { organizationId, userId }: Pick<ChannelRecord, 'organizationId' | 'userId'>,
  channel: Exclude<Channel, 'push'>,
  isElsewhere: boolean,
  tx: ClientSession,
): Promise<void> {
  const well = { dueAt: new Date(), ...WELL };
  await ChannelModel.updateOne(
    { organizationId, _id: idOf(userId, channel) },
    {
      $set: { ...well, ...(isElsewhere && FREE) },
      $inc: { wakes: 1 },
      $setOnInsert: { userId, channel, ...(!isElsewhere && FREE) },
    },
    { upsert: true, session: tx },
  );
}

export interface Wake {
  readonly organizationId: string;
  readonly userId: string;
  readonly place: Place;
  readonly dueAt: Date;
}

/** There is something to tell by then. */
export async function wakeChannels(wakes: readonly Wake[]): Promise<void> {
  if (wakes.length === 0) return;
  await ChannelModel.bulkWrite(
    wakes.map(({ organizationId, userId, place, dueAt }) => ({
      updateOne: {
        filter: { organizationId, _id: idOf(userId, place) },
        update: { $min: { dueAt }, $inc: { wakes: 1 } },
      },
    })),
    { ordered: false },
  );
}

/** Whether there is anything to tell in one of these that nobody is telling. */
export async function isAnyDue(channels: readonly Channel[], now: Date): Promise<boolean> {
  const due = await ChannelModel.exists({
    ...{ channel: mongoose.trusted({ $in: channels }), unwell: mongoose.trusted({ $in: [false, true] }) },
    ...isDue(now),
  });
  return due !== null;
}

interface Due {
  readonly channel: Channel;
  readonly unwell: boolean;
  readonly now: Date;
  readonly limit: number;
  /** Organizations that already have their share. */
  readonly notOf: readonly string[];
}

const isDue = (now: Date) => ({
  dueAt: mongoose.trusted({ $gt: LONG_AGO, $lte: now }),
  heldUntil: mongoose.trusted({ $lt: now }),
});

/** What nobody is telling, across all organizations, the longest due first. */
export async function dueChannels({ channel, unwell, now, limit, notOf }: Due): Promise<ChannelRecord[]> {
  return ChannelModel.find({
    ...{ channel, unwell },
    ...isDue(now),
    ...(notOf.length > 0 && { organizationId: mongoose.trusted({ $nin: notOf }) }),
  })
    .sort({ dueAt: 1 })
    .limit(limit)
    .lean();
}

/** @returns it as it is now, or undefined if somebody else has it */
export async function takeChannel(
  { organizationId, _id }: ChannelRecord,
  holder: string,
  now: Date,
  until: Date,
): Promise<ChannelRecord | undefined> {
  const free = { organizationId, _id, heldUntil: mongoose.trusted({ $lt: now }) };
  const set = { holder, heldUntil: until };
  const taken = await ChannelModel.findOneAndUpdate(free, { $set: set }, { returnDocument: 'after' }).lean();
  return taken ?? undefined;
}

/** What a turn leaves behind. Without `dueAt` there is nothing more to tell. */
export type TurnEnd = Pick<ChannelRecord, 'dueAt' | 'attempts' | 'unwell' | 'notBefore' | 'toldAt'>;

/** Gives back what was taken; if there is news since, it is due. */
export async function releaseChannel(
  { organizationId, _id, holder, wakes }: ChannelRecord,
  end: TurnEnd,
): Promise<void> {
  const { dueAt, ...state } = end;
  const own = { organizationId, _id, holder };
  const set = { ...state, heldUntil: LONG_AGO };
  const nothingNew = dueAt ? { $set: { ...set, dueAt } } : { $set: set, $unset: { dueAt: '' } };
  const { matchedCount } = await ChannelModel.updateOne({ ...own, wakes }, nothingNew);
  if (matchedCount === 0) await ChannelModel.updateOne(own, { $set: { ...set, dueAt: new Date() } });
}

/** The oldest of what a channel has still to tell, and what is read is not among it. */
export async function untoldOf(channel: ChannelRecord, since: Date, limit: number): Promise<NotificationRecord[]> {
  const { organizationId, userId } = channel;
  return NotificationModel.find({
    organizationId,
    userId,
    untold: placeOf(channel),
    at: mongoose.trusted({ $gte: since }),
  })
    .sort({ at: 1, _id: 1 })
    .limit(limit)
    .lean();
}

/** One by one, which holds nothing while it waits: the user may be marking them as read in a transaction, which an `updateMany` would wait for halfway. */
export async function markTold(channel: ChannelRecord, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { organizationId } = channel;
  const update = { $pull: { untold: placeOf(channel) } };
  await NotificationModel.bulkWrite(
    ids.map((_id) => ({ updateOne: { filter: { organizationId, _id }, update } })),
    { ordered: false },
  );
}

export async function forgetChannels(organizationId: string, userId: string): Promise<void> {
  await removeEach(ChannelModel, { organizationId, userId });
}
