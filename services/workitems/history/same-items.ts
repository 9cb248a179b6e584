import type { Caller } from '@worktrack/contracts/caller';
import { findNamed } from '../items/shown/shown.repository.ts';
import { deletedItem } from './history.repository.ts';

/** How many are looked up at once. */
const TOGETHER = 20;

/** Whether each pair of names, a UUID and a task ID, refers to the same item, even if it has been deleted since. */
export async function areSameItems(
  caller: Caller,
  pairs: readonly (readonly [one: string, other: string])[],
): Promise<boolean> {
  // Different names of the same form refer to different items: nothing to look up.
  if (pairs.some(([one, other]) => isTaskId(one) === isTaskId(other))) return false;
  for (let from = 0; from < pairs.length; from += TOGETHER) {
    const same = await Promise.all(
      pairs.slice(from, from + TOGETHER).map(async ([one, other]) => {
        const [id, taskId] = isTaskId(one) ? [other, one] : [one, other];
        return (await idOf(caller, taskId)) === id;
      }),
    );
    if (same.includes(false)) return false;
  }
  return true;
}

async function idOf(caller: Caller, taskId: string): Promise<string | undefined> {
  return (await findNamed({ caller }, taskId))?._id ?? (await deletedItem({ caller }, taskId))?._id;
}

const UUID_LENGTH = 36;
const isTaskId = (name: string): boolean => name.length < UUID_LENGTH;
