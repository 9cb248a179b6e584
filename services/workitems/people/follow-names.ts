import type { Log } from '@worktrack/rpc/types';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { eraseFromHistory, followInItems, followInViews } from './follow.repository.ts';
import type { NamesRecord } from './names.model.ts';
import { followed, namesToFollow } from './names.repository.ts';

const SWEEP_INTERVAL_MS = 3_000;
const AT_ONCE = 10;
/** Longer than any call is on its way: the gateway said in it what its users were called when it came. */
const ON_ITS_WAY_MS = 60_000;

/**
 * When a user's name has changed, items assigned to the user follow, and so do views that name the user. They follow at once, and again when nothing under way
 * with the earlier name can still be stored. Any number of replicas may do the same, and another one goes on if this one ends.
 */
export function followNames(log: Log): { stop(): Promise<void> } {
  return sweepEvery(SWEEP_INTERVAL_MS, {
    log,
    sweep: () => followDue(new Date()),
    failed: 'Could not take over changed names of users into work items; trying again',
  });
}

export async function followDue(now: Date): Promise<void> {
  for (const names of await namesToFollow(now, AT_ONCE)) await follow(names, now);
}

async function follow(names: NamesRecord, now: Date): Promise<void> {
  await followInItems(names);
  await followInViews(names);
  if (names.isErased) await eraseFromHistory(names);
  await followed(names, names.isLastLook ? undefined : new Date(now.getTime() + ON_ITS_WAY_MS));
}
