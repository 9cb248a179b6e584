import type { LoggedEvent, PublishedLogEvent } from '@worktrack/contracts/events/event';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { LRUCache } from 'lru-cache';
import { type Addition, append, beyond, idsInLog, insert } from './append.repository.ts';
import { begin, heads, moveHeads } from './heads.repository.ts';
import type { HeadRecord } from './log.model.ts';

/** Stored at once. */
const BATCH_EVENTS = 500;
/** Per message of the live feed. */
const NEWS_EVENTS = 64;
/** How often a batch may find that somebody else has logged something. */
const MAX_TRIES = 5;

type Tell = (organizationId: string, logged: readonly LoggedEvent[]) => void;

/**
 * Gives each event its place in its organization's log, in order of arrival, unless it already has one.
 *
 * It uses no transaction, which would stay open if this process died, and hold up the next one. Instead, the event is stored at the place after the head, and
 * then the head moves to it. Events are stored in the order of their places, so there is never a gap. An event beyond the head, whose writer died or is slow,
 * keeps its place: the next writer to find it moves the head. One replica takes in events at a time. If two believe they are the one, a unique index gives each
 * place to one event, and the other replica looks up what is there.
 * @param tell called with what was logged, once the head has moved
 */
export async function takeIn(events: readonly PublishedLogEvent[], tell: Tell): Promise<void> {
  const tellInShares: Tell = (organizationId, logged) => {
    for (let from = 0; from < logged.length; from += NEWS_EVENTS) {
      tell(organizationId, logged.slice(from, from + NEWS_EVENTS));
    }
  };
  for (let at = 0; at < events.length; at += BATCH_EVENTS) {
    await store(firstOfEach(events.slice(at, at + BATCH_EVENTS)), tellInShares);
  }
}

/** First tried as if none of them had come before and nobody else had logged anything: only if that is refused is what is there looked up. */
async function store(events: readonly PublishedLogEvent[], tell: Tell): Promise<void> {
  const organizationIds = [...new Set(events.map(({ organizationId }) => organizationId))];
  let left = events;
  try {
    for (let tries = 1; left.length > 0; tries++) {
      const areStored = await storeOnce(left, tell).catch((error) => {
        if (tries === MAX_TRIES || !isDuplicateKey(error)) throw error;
        return false;
      });
      if (areStored) return;
      const there = await idsInLog(left.map(({ id }) => id));
      left = left.filter(({ id }) => !there.has(id));
      // After that: so the heads are beyond everything that counts as logged.
      await catchUp(organizationIds, tell);
    }
  } catch (error) {
    for (const id of organizationIds) ends.delete(id);
    throw error;
  }
}

/** @returns false if somebody else has moved a head */
async function storeOnce(events: readonly PublishedLogEvent[], tell: Tell): Promise<boolean> {
  const byOrganization = Map.groupBy(events, ({ organizationId }) => organizationId);
  const from = await endsOf([...byOrganization.keys()]);
  const additions = from.map((head) => append(head, byOrganization.get(head._id) ?? []));
  await insert(additions.flatMap(({ records }) => records));
  return move(additions, tell);
}

/** Moves the heads to the end of what is stored. */
async function catchUp(organizationIds: readonly string[], tell: Tell): Promise<void> {
  for (const id of organizationIds) {
    for (;;) {
      const head = (await heads([id])).get(id);
      const addition = head && (await beyond(head, BATCH_EVENTS));
      if (!addition?.logged.length) break;
      await move([addition], tell);
    }
  }
  for (const id of organizationIds) ends.delete(id);
}

/** @returns false if somebody else has moved one of the heads: theirs to tell */
async function move(additions: readonly Addition[], tell: Tell): Promise<boolean> {
  const moved = await moveHeads(additions);
  for (const { head, logged } of additions) {
    if (!moved.has(head._id)) continue;
    ends.set(head._id, head);
    tell(head._id, logged);
  }
  return moved.size === additions.length;
}

/** Where logs end, as far as this process knows: as it left them, since it is usually the one doing the intake. */
const ends = new LRUCache<string, HeadRecord>({
  max: 10_000,
  // Far less than the shortest retention: what others have logged since may have expired, and would no longer refuse its place.
  ttl: 60 * 60_000,
});

async function endsOf(organizationIds: readonly string[]): Promise<HeadRecord[]> {
  const found = new Map<string, HeadRecord>();
  for (const id of organizationIds) {
    const end = ends.get(id);
    if (end) found.set(id, end);
  }
  const missing = () => organizationIds.filter((id) => !found.has(id));
  const read = async () => {
    for (const [id, head] of await heads(missing())) found.set(id, head);
  };
  if (missing().length > 0) await read();
  if (missing().length > 0) {
    await begin(missing());
    await read();
  }
  return [...found.values()];
}

function firstOfEach(events: readonly PublishedLogEvent[]): PublishedLogEvent[] {
  const seen = new Set<string>();
  return events.filter(({ id }) => !seen.has(id) && seen.add(id));
}
