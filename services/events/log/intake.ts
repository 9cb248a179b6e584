import type { LoggedEvent, PublishedEvent } from '@worktrack/contracts/events/event';
import { commitSet } from '@worktrack/runtime/database/commit-set';
import type { WriteSet } from '@worktrack/runtime/database/write-set';
import type { ClientSession } from 'mongoose';
import { append, heads, insert, isLogged, known } from './log.repository.ts';

/** Of one transaction. */
const BATCH_EVENTS = 250;
/** Of one message of the live feed. */
const NEWS_EVENTS = 64;
const DEADLINE_MS = 10_000;

/**
 * Gives each event its place in the log of its organization, in the order in which they come, unless it has one already. One replica does so at
 * a time; of two that both believe it, the heads let one through, and the other finds then what is there.
 * @param tell what was logged, once it is stored
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

async function store(events: readonly PublishedEvent[]): Promise<ReadonlyMap<string, readonly LoggedEvent[]>> {
  let last: string | undefined;
  const work = async (tx: ClientSession, writes: WriteSet) => {
    const there = await known(
      events.map(({ id }) => id),
      tx,
    );
    // The first of those that come twice.
    const added = new Map<string, PublishedEvent>();
    for (const event of events) if (!there.has(event.id) && !added.has(event.id)) added.set(event.id, event);
    const byOrganization = Map.groupBy(added.values(), ({ organizationId }) => organizationId);
    const ends = await heads([...byOrganization.keys()], tx);
    const appended = [...byOrganization].map(([id, its]) => ({ id, ...append(writes, id, ends.get(id), its) }));
    await insert(
      appended.flatMap(({ records }) => records),
      tx,
    );
    last = [...added.keys()].at(-1);
    return new Map(appended.map(({ id, logged }) => [id, logged]));
  };
  // All of them, or none.
  return await commitSet(Date.now() + DEADLINE_MS, work, async () => last === undefined || (await isLogged(last)));
}
