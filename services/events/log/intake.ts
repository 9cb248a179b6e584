import type { LoggedEvent, PublishedEvent } from '@worktrack/contracts/events/event';
import { commitSet } from '@worktrack/runtime/database/commit-set';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import type { WriteSet } from '@worktrack/runtime/database/write-set';
import type { ClientSession } from 'mongoose';
import type { HeadRecord } from './log.model.ts';
import { type Appended, append, heads, insert, isLogged, known } from './log.repository.ts';

/** Per transaction. */
const BATCH_EVENTS = 500;
/** Per message of the live feed. */
const NEWS_EVENTS = 64;
const DEADLINE_MS = 10_000;

/**
 * Gives each event its place in its organization's log, in order of arrival, unless it already has one. One replica does so at
 * a time; if two believe they are the one, the heads let only one through, and the other then finds what is there.
 * @param tell called with what was logged, once it is stored
 */
export async function takeIn(
  events: readonly PublishedEvent[],
  tell: (organizationId: string, logged: readonly LoggedEvent[]) => void,
): Promise<void> {
  for (let at = 0; at < events.length; at += BATCH_EVENTS) {
    for (const [organizationId, logged] of await store(events.slice(at, at + BATCH_EVENTS))) {
      for (let from = 0; from < logged.length; from += NEWS_EVENTS) {
        tell(organizationId, logged.slice(from, from + NEWS_EVENTS));
      }
    }
  }
}

/** Where logs end, as far as this process knows: as it left them, since it is usually the one doing the intake. */
const ends = new Map<string, HeadRecord>();
const MAX_ENDS = 10_000;

async function store(events: readonly PublishedEvent[]): Promise<ReadonlyMap<string, readonly LoggedEvent[]>> {
  try {
    return await storeOnce(events, false);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return await storeOnce(events, true);
  }
}

/**
 * All of them, or none. First tried as if none of them had come before and nobody else had logged anything: unique indexes and the head refuse it if
 * that is wrong, and only then is what is there looked up.
 */
async function storeOnce(
  events: readonly PublishedEvent[],
  isRefused: boolean,
): Promise<ReadonlyMap<string, readonly LoggedEvent[]>> {
  const organizationIds = [...new Set(events.map(({ organizationId }) => organizationId))];
  let isLookedUp = isRefused;
  let last: string | undefined;
  let appended: readonly Appended[] = [];
  const work = async (tx: ClientSession, writes: WriteSet) => {
    const there = isLookedUp
      ? await known(
          events.map(({ id }) => id),
          tx,
        )
      : new Set<string>();
    const unknown = isLookedUp ? organizationIds : organizationIds.filter((id) => !ends.has(id));
    const read = unknown.length > 0 ? await heads(unknown, tx) : new Map<string, HeadRecord>();
    isLookedUp = true;
    // The first of any duplicates.
    const added = new Map<string, PublishedEvent>();
    for (const event of events) if (!there.has(event.id) && !added.has(event.id)) added.set(event.id, event);
    const byOrganization = Map.groupBy(added.values(), ({ organizationId }) => organizationId);
    appended = [...byOrganization].map(([id, its]) =>
      append(writes, id, unknown.includes(id) ? read.get(id) : ends.get(id), its),
    );
    await insert(
      appended.flatMap(({ records }) => records),
      tx,
    );
    last = [...added.keys()].at(-1);
  };
  try {
    await commitSet(Date.now() + DEADLINE_MS, work, async () => last === undefined || (await isLogged(last)));
  } catch (error) {
    for (const id of organizationIds) ends.delete(id);
    throw error;
  }
  if (ends.size > MAX_ENDS) ends.clear();
  for (const { head } of appended) ends.set(head._id, head);
  return new Map(appended.map(({ head, logged }) => [head._id, logged]));
}
