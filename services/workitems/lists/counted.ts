import { createHash } from 'node:crypto';
import { MAX_COUNTED } from '@worktrack/contracts/fields';
import { LRUCache } from 'lru-cache';
import type { Total } from '../calls/paging.ts';

/** More than these would have to leave a list while it is remembered before it had fewer than MAX_COUNTED. */
const MARGIN = 1_000;
const REMEMBERED_FOR_MS = 10_000;
const MAX_LISTS = 10_000;

const long = new LRUCache<string, true>({ max: MAX_LISTS, ttl: REMEMBERED_FOR_MS });

/**
 * Counts the matches of a list, and says at most MAX_COUNTED. Every page has the total, and counting 10 000 matches costs far more than reading a page. So a
 * list that is far longer is not counted again for ten seconds. Others always are, so that their total is exact.
 * @param list what identifies it, with whatever it is filtered by
 * @param count counts up to a limit
 */
export async function countedOnce(list: unknown, count: (limit: number) => Promise<number>): Promise<Total> {
  // A caller may be limited to thousands of projects, and each is in the filter.
  const key = createHash('sha256').update(JSON.stringify(list)).digest('base64url');
  if (long.has(key)) return MORE;
  const limit = MAX_COUNTED + MARGIN;
  const counted = await count(limit);
  if (counted === limit) long.set(key, true);
  return counted > MAX_COUNTED ? MORE : { total: counted, isLowerBound: false };
}

const MORE: Total = { total: MAX_COUNTED, isLowerBound: true };
