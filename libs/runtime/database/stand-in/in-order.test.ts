import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { uuidAt } from '../../../../test/support/uuid-at.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { type OrderedRead, walkIndex } from '../walk-index.ts';
import { inOrderByWindows } from './in-order.ts';

const schema = new mongoose.Schema({ _id: String, organizationId: String }, { collection: 'bursts' });
schema.index({ organizationId: 1, _id: -1 });
const BurstModel = mongoose.model('Burst', schema);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_order`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

const changedSchema = new mongoose.Schema(
  { _id: String, organizationId: String, at: Date, n: Number },
  { collection: 'changed' },
);
changedSchema.index({ organizationId: 1, at: 1, _id: 1 });
changedSchema.index({ organizationId: 1, n: 1, _id: 1 });
const ChangedModel = mongoose.model('Changed', changedSchema);

const BURSTS = 40;
const IN_A_BURST = 250;
const LIMIT = 100;
const A_YEAR_MS = 365 * 86_400_000;

/** The newest first; each burst has this many in some milliseconds. */
async function bursts(atMs: readonly number[]) {
  const organizationId = uuidAt(Date.now() - A_YEAR_MS);
  const ids = atMs
    .flatMap((ms) => Array.from({ length: IN_A_BURST }, (_, index) => uuidAt(ms - Math.floor(index / 10))))
    .toSorted()
    .toReversed();
  await BurstModel.insertMany(
    ids.map((_id) => ({ _id, organizationId })),
    { lean: true },
  );
  const asked: OrderedRead = {
    filter: { organizationId },
    order: { field: '_id', direction: -1 },
    limit: LIMIT,
    present: [],
  };
  /** A page, and how many the server had to read for it. */
  const page = async (last?: string) => {
    let read = 0;
    const counting = (async (model, given) => {
      const { $lt = 'g', $gt = '' } = (given.range ?? {}) as { readonly $lt?: string; readonly $gt?: string };
      read += ids.filter((id) => id < $lt && id > $gt && id < ((given.after?.id as string | undefined) ?? 'g')).length;
      return walkIndex(model, given);
    }) as typeof walkIndex;
    const after = last === undefined ? undefined : { value: last, id: last };
    const rows = await inOrderByWindows<{ readonly _id: string }>(BurstModel, { ...asked, after }, counting);
    return { ids: rows.map(({ _id }) => _id), read };
  };
  return { ids, page };
}

/** As items come from a plan that is created, or an import: many in some milliseconds, and then none for a while. */
test.each([4_000, 60_000])(
  'a page that ends a burst reads a few bursts and not all that come before, %i ms apart',
  async (apartMs) => {
    const now = Date.now();
    const { ids, page } = await bursts(Array.from({ length: BURSTS }, (_, burst) => now - burst * apartMs));
    const seen: string[] = [];
    let most = 0;
    while (seen.length < ids.length) {
      const next = await page(seen.at(-1));
      // The first begins with a minute, whatever is in it.
      if (seen.length > 0) most = Math.max(most, next.read);
      seen.push(...next.ids);
    }
    expect(seen).toEqual(ids);
    expect(most).toBeLessThan(ids.length / 4);
  },
);

test('a list is read as far as the time since its newest is long, and once it was, hardly further than its page', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const imported = Date.now();
  // Bursts for an hour, as an import makes them.
  const { ids, page } = await bursts(Array.from({ length: BURSTS }, (_, burst) => imported - burst * 90_000));
  vi.setSystemTime(imported + 10 * 60_000);
  const first = await page();
  expect(first.ids).toEqual(ids.slice(0, LIMIT));
  expect(first.read).toBeLessThan(ids.length / 4);
  vi.setSystemTime(imported + 24 * 60 * 60_000);
  const later = await page();
  expect(later.ids).toEqual(ids.slice(0, LIMIT));
  expect(later.read).toBeLessThanOrEqual(2 * IN_A_BURST);
});

const queueSchema = new mongoose.Schema(
  { _id: String, webhookId: String, dueAtMs: Number },
  { collection: 'deliveries' },
);
queueSchema.index({ webhookId: 1, dueAtMs: 1, _id: 1 });
const QueueModel = mongoose.model('Queue', queueSchema);

test('a column is read no further than its pages, though some of it was moved far before the rest', async () => {
  const organizationId = uuidv7();
  const places = [...Array.from({ length: 5 }, (_, n) => -5_000 - n), ...Array.from({ length: 5_000 }, (_, n) => n)];
  await ChangedModel.insertMany(
    places.map((n) => ({ _id: uuidv7(), organizationId, n })),
    { lean: true },
  );
  let read = 0;
  const counting = (async (model, given) => {
    const { $gte = -Infinity, $lt = Infinity } = (given.range ?? {}) as {
      readonly $gte?: number;
      readonly $lt?: number;
    };
    read += places.filter((n) => n >= $gte && n < $lt).length;
    return walkIndex(model, given);
  }) as typeof walkIndex;
  const asked: OrderedRead = {
    filter: { organizationId },
    order: { field: 'n', direction: 1 },
    limit: 50,
    present: [],
  };
  for (let time = 0; time < 3; time++) {
    read = 0;
    expect(await inOrderByWindows(ChangedModel, asked, counting)).toHaveLength(50);
    expect(read).toBeLessThan(4 * 50);
  }
});

test('a queue far from zero is read at once, and a long one no further than its pages', async () => {
  const webhookId = uuidv7();
  const now = Date.now();
  let reads = 0;
  const counting = (async (model, given) => {
    reads++;
    return walkIndex(model, given);
  }) as typeof walkIndex;
  const page = (limit: number) =>
    inOrderByWindows<{ readonly dueAtMs: number }>(
      QueueModel,
      {
        filter: { webhookId },
        order: { field: 'dueAtMs', direction: 1 },
        range: { $gte: 0, $lt: Number.MAX_SAFE_INTEGER },
        limit,
        present: [],
      },
      counting,
    );
  expect(await page(LIMIT)).toEqual([]);
  const times = Array.from({ length: 3 * LIMIT }, (_, index) => now + index * 1_000);
  await QueueModel.insertMany(times.slice(0, 2).map((dueAtMs) => ({ _id: uuidv7(), webhookId, dueAtMs })));
  expect((await page(LIMIT)).map(({ dueAtMs }) => dueAtMs)).toEqual(times.slice(0, 2));
  expect(reads).toBe(2);
  await QueueModel.insertMany(times.slice(2).map((dueAtMs) => ({ _id: uuidv7(), webhookId, dueAtMs })));
  for (let again = 0; again < 2; again++) {
    expect((await page(LIMIT)).map(({ dueAtMs }) => dueAtMs)).toEqual(times.slice(0, LIMIT));
  }
  expect(reads).toBe(4);
});

test.each([
  ['at', -1, {}],
  ['at', 1, {}],
  ['n', -1, { $lt: 101 }],
  ['n', 1, {}],
] as const)(
  'a list by %s (%i) has everything once, however many share a value with the end of a page',
  async (field, direction, range) => {
    const organizationId = uuidv7();
    const now = Date.now();
    const rows = Array.from({ length: 60 }, (_, index) => {
      const shared = Math.floor(index / 7);
      return { _id: uuidv7(), organizationId, at: new Date(now - shared * 1_000), n: 100 - shared };
    });
    await ChangedModel.insertMany(rows);
    const seen: string[] = [];
    let after: OrderedRead['after'];
    do {
      const page = await inOrderByWindows<(typeof rows)[number]>(
        ChangedModel,
        { filter: { organizationId }, order: { field, direction }, range, after, limit: 5, present: [] },
        walkIndex,
      );
      seen.push(...page.map(({ _id }) => _id));
      const last = page.at(-1);
      after = last && { value: last[field], id: last._id };
    } while (after);
    const inOrder = rows.toSorted(
      (a, b) => direction * (Number(a[field]) - Number(b[field]) || (a._id < b._id ? -1 : 1)),
    );
    expect(seen).toEqual(inOrder.map(({ _id }) => _id));
  },
);

test.each([0, 3, 60, 500])('of %i numbers from zero up, the greatest are found in one query', async (count) => {
  const organizationId = uuidv7();
  const numbers = Array.from({ length: count }, (_, index) => count - index);
  await ChangedModel.insertMany(numbers.map((n) => ({ _id: uuidv7(), organizationId, n })));
  let queries = 0;
  const counting = (async (model, read) => {
    queries++;
    return walkIndex(model, read);
  }) as typeof walkIndex;
  const read: OrderedRead = {
    filter: { organizationId },
    order: { field: 'n', direction: -1 },
    range: { $lt: count + 1 },
    limit: 20,
    present: [],
  };
  const rows = await inOrderByWindows<{ readonly n: number }>(ChangedModel, read, counting);
  expect(rows.map(({ n }) => n)).toEqual(numbers.slice(0, 20));
  expect(queries).toBe(1);
});

describe.each([
  ['_id', -1],
  ['at', -1],
  ['at', 1],
] as const)('a list by %s (%i)', (field, direction) => {
  /** @param ageMs of the organization */
  const list = (ageMs: number) => {
    const organizationId = uuidAt(Date.now() - ageMs);
    const page = async () => {
      let queries = 0;
      const rows = await inOrderByWindows<{ readonly _id: string; readonly at: Date }>(
        ChangedModel,
        { filter: { organizationId }, order: { field, direction }, limit: LIMIT, present: [] },
        (async (model, read) => {
          queries++;
          return walkIndex(model, read);
        }) as typeof walkIndex,
      );
      return { ids: rows.map(({ _id }) => _id), queries };
    };
    const add = async (ms: number) => {
      const row = { _id: uuidAt(ms), organizationId, at: new Date(ms) };
      await ChangedModel.insertMany([row]);
      return row._id;
    };
    return { page, add };
  };

  test('of an organization that was just made is read by one query, and so is what a clock that is behind put in it', async () => {
    const { page, add } = list(1_000);
    expect(await page()).toEqual({ ids: [], queries: 1 });
    const { page: pageOf, add: addTo } = list(1_000);
    const added = [await addTo(Date.now()), await addTo(Date.now() - 10_000)];
    expect((await pageOf()).ids).toEqual(direction === -1 ? added : added.toReversed());
    const id = await add(Date.now());
    expect((await page()).ids).toEqual([id]);
  });

  test('that was short is looked through only since then, where it has times', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { page, add } = list(A_YEAR_MS);
    const first = await add(Date.now());
    expect((await page()).ids).toEqual([first]);
    vi.setSystemTime(Date.now() + 5 * 60_000);
    const second = await add(Date.now());
    const { ids, queries } = await page();
    expect(ids).toEqual(direction === -1 ? [second, first] : [first, second]);
    if (field === 'at') expect(queries).toBeLessThanOrEqual(4);
  });
});
