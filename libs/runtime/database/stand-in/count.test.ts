import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { uuidAt } from '../../../../test/support/uuid-at.ts';
import { createLog } from '../../process/logging.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { countInOrder } from '../in-order.ts';
import { countIndex, walkIndex } from '../walk-index.ts';
import { countByWindows } from './count.ts';

const schema = new mongoose.Schema({ _id: String, organizationId: String, word: String }, { collection: 'counted' });
schema.index({ organizationId: 1, word: 1, _id: -1 });
const CountedModel = mongoose.model('Counted', schema);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_count`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

const LIMIT = 100;
const A_YEAR_MS = 365 * 86_400_000;

/** Entries with one word, the newest this old, and each this much older than the one before. */
async function entries(count: number, { newestMs = 0, apartMs = 0 }) {
  const organizationId = uuidAt(Date.now() - 3 * A_YEAR_MS);
  await addTo(organizationId, count, { newestMs, apartMs });
  return { filter: { organizationId, word: 'word' }, order: { field: '_id', direction: -1 } as const, limit: LIMIT };
}

async function addTo(organizationId: string, count: number, { newestMs = 0, apartMs = 0 }): Promise<void> {
  const from = Date.now() - newestMs;
  await CountedModel.insertMany(
    Array.from({ length: count }, (_, index) => ({
      _id: uuidAt(from - index * apartMs),
      organizationId,
      word: 'word',
    })),
    { lean: true },
  );
}

describe.each([
  ['of one millisecond', 0, 0],
  ['of one millisecond, a year ago', A_YEAR_MS, 0],
  ['a second apart', 0, 1_000],
  ['a day apart', 0, 86_400_000],
])('matches %s', (_name, newestMs, apartMs) => {
  test.each([0, 1, LIMIT - 1, LIMIT, 3 * LIMIT])('%i are counted up to the limit, each time', async (count) => {
    const read = await entries(count, { newestMs, apartMs });
    for (let time = 0; time < 3; time++) expect(await countInOrder(CountedModel, read)).toBe(Math.min(count, LIMIT));
  });
});

test('a count that began before another of the same list ended counts the same', async () => {
  const read = await entries(LIMIT / 10, {});
  const one = countByWindows(CountedModel, read, countIndex, walkIndex);
  const onceItEnded = (async (...args) => {
    const rows = await walkIndex(...args);
    await one;
    return rows;
  }) as typeof walkIndex;
  const other = countByWindows(CountedModel, read, countIndex, onceItEnded);
  expect(await Promise.all([one, other])).toEqual([LIMIT / 10, LIMIT / 10]);
});

test('a window without ends counts all', async () => {
  const read = await entries(LIMIT / 10, {});
  expect(await countIndex(CountedModel, { ...read, range: {} })).toBe(LIMIT / 10);
});

test('however many match, the windows of a count hold hardly more than its limit, once it was made', async () => {
  const read = await entries(20 * LIMIT, { apartMs: 500 });
  const inWindows: number[] = [];
  const counting = async (...args: Parameters<typeof countIndex>) => {
    const counted = await countIndex(...args);
    inWindows.push(counted);
    return counted;
  };
  for (const bound of [4 * LIMIT, 1.1 * LIMIT]) {
    inWindows.length = 0;
    expect(await countByWindows(CountedModel, read, counting, walkIndex)).toBe(LIMIT);
    expect(inWindows.reduce((sum, counted) => sum + counted, 0)).toBeLessThanOrEqual(bound);
  }
});

test('fewer than the limit are counted by one query, once they were, and still up to it when they are many', async () => {
  const read = await entries(LIMIT / 10, { apartMs: 86_400_000 });
  let queries = 0;
  const counting = async (...args: Parameters<typeof countIndex>) => {
    queries++;
    return countIndex(...args);
  };
  const counted = () => countByWindows(CountedModel, read, counting, walkIndex);
  expect(await counted()).toBe(LIMIT / 10);
  queries = 0;
  expect(await counted()).toBe(LIMIT / 10);
  expect(queries).toBe(1);
  await addTo(read.filter.organizationId, LIMIT, {});
  for (let time = 0; time < 3; time++) expect(await counted()).toBe(LIMIT);
});

test('a list that was short is not counted at once when it may have grown since', async () => {
  const read = await entries(LIMIT / 10, { newestMs: A_YEAR_MS });
  let counted = 0;
  const counting = (async (...args) => {
    const found = await countIndex(...args);
    counted += found;
    return found;
  }) as typeof countIndex;
  const count = () => countByWindows(CountedModel, read, counting, walkIndex);
  expect(await count()).toBe(LIMIT / 10);
  await addTo(read.filter.organizationId, 30 * LIMIT, { apartMs: 100 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  counted = 0;
  expect(await count()).toBe(LIMIT);
  expect(counted).toBeLessThan(10 * LIMIT);
});
