import { countInOrder } from '@worktrack/runtime/database/in-order';
import { countByWindows } from '@worktrack/runtime/database/stand-in/count';
import { countIndex, walkIndex } from '@worktrack/runtime/database/walk-index';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uuidAt } from '../../../test/support/uuid-at.ts';
import { SearchModel } from '../search/search.model.ts';
import { startWorkItems, stopWorkItems } from '../testing.ts';
import { ORDERS } from './listed-items.repository.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const LIMIT = 100;
const A_YEAR_MS = 365 * 86_400_000;

/** Entries with one word, the newest this old, and each this much older than the one before. */
async function entries(count: number, { newestMs = 0, apartMs = 0 }) {
  const [organizationId, projectId] = [uuidv7(), uuidv7()];
  const from = Date.now() - newestMs;
  await SearchModel.insertMany(
    Array.from({ length: count }, (_, index) => ({
      _id: uuidAt(from - index * apartMs),
      organizationId,
      projectId,
      prefixes: ['word'],
      words: ' word',
    })),
  );
  return { filter: { organizationId, projectId, prefixes: 'word' }, order: ORDERS.newest, limit: LIMIT };
}

describe.each([
  ['of one millisecond', 0, 0],
  ['of one millisecond, a year ago', A_YEAR_MS, 0],
  ['a second apart', 0, 1_000],
  ['a day apart', 0, 86_400_000],
])('matches %s', (_name, newestMs, apartMs) => {
  test.each([0, 1, LIMIT - 1, LIMIT, 3 * LIMIT])('%i are counted up to the limit, each time', async (count) => {
    const read = await entries(count, { newestMs, apartMs });
    for (let time = 0; time < 3; time++) expect(await countInOrder(SearchModel, read)).toBe(Math.min(count, LIMIT));
  });
});

test('however many match, the windows of a count hold hardly more than its limit, once it was made', async () => {
  const read = await entries(20 * LIMIT, { apartMs: 500 });
  const inWindows: number[] = [];
  const counting = async (...args: Parameters<typeof countIndex>) => {
    const counted = await countIndex(...args);
    inWindows.push(counted);
    return counted;
  };
  for (const bound of [4 * LIMIT, 1.5 * LIMIT]) {
    inWindows.length = 0;
    expect(await countByWindows(SearchModel, read, counting, walkIndex)).toBe(LIMIT);
    expect(inWindows.reduce((sum, counted) => sum + counted, 0)).toBeLessThanOrEqual(bound);
  }
});
