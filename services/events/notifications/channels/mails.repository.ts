import { createHash } from 'node:crypto';
import { MailsModel } from './mails.model.ts';

/** Enough for a busy day; more is read in a digest, if at all. */
export const MAX_AT_ONCE_PER_DAY = 100;

/**
 * One more, on a day by UTC. By the address and not by the user: whoever makes users with an address of somebody else may erase them and make them again.
 * @returns whether it may be sent
 */
export async function countMailAtOnce(organizationId: string, address: string, now: Date): Promise<boolean> {
  const hash = createHash('sha256').update(`${organizationId}\n${address.toLowerCase()}`).digest('base64url');
  const { count } = await MailsModel.findOneAndUpdate(
    { organizationId, _id: `${now.toISOString().slice(0, 10)} ${hash}` },
    { $inc: { count: 1 }, $setOnInsert: { at: now } },
    { upsert: true, returnDocument: 'after' },
  )
    .orFail()
    .lean();
  return count <= MAX_AT_ONCE_PER_DAY;
}
