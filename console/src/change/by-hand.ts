import type { RawInput } from '@worktrack/contracts/operation';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import { ServiceError } from '../api/service-error.ts';
import { leads } from '../session.ts';
import { askAnyway } from './ask.ts';

/** What a person may say about a move. */
export type ByHand = Pick<RawInput<typeof moveWorkItem>, 'reason' | 'force' | 'takeOver'>;
export type Insistence = 'force' | 'takeOver';

/** What would make the service do it although something is in its way; undefined: nothing that this person may say. */
export function lackedBy(error: unknown): Insistence | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'CONFLICT') return undefined;
  return error.details.map(({ path }) => path as Insistence).find(mayInsist);
}

/** Taking work away is for everybody; passing a gate is for those who set it. */
export function mayInsist(lacked: Insistence | undefined): boolean {
  if (lacked === 'force') return leads.value;
  return lacked === 'takeOver';
}

/** Does it, and if something is in its way, asks and does it anyway. @returns undefined: called off */
export async function insisting<T>(send: (how: ByHand) => Promise<T>, how: ByHand = {}): Promise<T | undefined> {
  try {
    return await send(how);
  } catch (error) {
    const lacked = lackedBy(error);
    if (!lacked || how[lacked]) throw error;
    if (!(await askAnyway(error, lacked === 'force'))) return undefined;
    return insisting(send, { ...how, [lacked]: true });
  }
}
