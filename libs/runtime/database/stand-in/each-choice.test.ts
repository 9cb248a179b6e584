import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { uuidAt } from '../../../../test/support/uuid-at.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { countInOrder, inOrder } from '../in-order.ts';
import { countIndex, type OrderedRead, walkIndex } from '../walk-index.ts';
import { countEachChoice, walkEachChoice } from './each-choice.ts';

const schema = new mongoose.Schema(
  { _id: String, organizationId: String, word: String, tags: [String], size: Number },
  { collection: 'chosen' },
);
schema.index({ organizationId: 1, word: 1, _id: 1 });
schema.index({ organizationId: 1, word: 1, size: 1, _id: 1 });
schema.index({ organizationId: 1, tags: 1, _id: 1 });
const ChosenModel = mongoose.model('Chosen', schema);

const organizationId = uuidv7();
const COUNT = 600;
const TAGS = ['a', 'b', 'c'];
const documents = Array.from({ length: COUNT }, (_, n) => ({
  _id: uuidAt(Date.now() - n * 700),
  organizationId,
  word: `w${n % 7}`,
  tags: TAGS.filter((_tag, bit) => (n >> bit) & 1),
  // Twice each, in another order than the ids.
  size: (n * 37) % 300,
}));

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_choice`, log: createLog('test', 'silent') });
  await ChosenModel.insertMany(documents);
});
afterAll(disconnectDatabase);

const words = (...numbers: readonly number[]) => ({ $in: numbers.map((n) => `w${n}`) });
const MANY = { $in: Array.from({ length: 400 }, (_, n) => `w${n}`) };

describe.each([
  ['of one value', { word: words(3) }],
  ['of several values', { word: words(1, 2, 5) }],
  ['of a value that is named twice', { word: words(1, 1, 4) }],
  ['of entries of a list, of which a document may have several', { tags: { $in: ['a', 'c'] } }],
  ['of two fields', { word: words(0, 6), tags: { $in: ['a', 'b'] } }],
  ['of more values than there are queries for', { word: MANY }],
  ['of no value', { word: { $in: [] } }],
])('a choice %s', (_which, conditions: Record<string, { $in: string[] }>) => {
  const filter = { organizationId, ...conditions };
  const matching = documents.filter((each) =>
    Object.entries(conditions).every(([field, { $in }]) =>
      [each[field as 'word' | 'tags']].flat().some((value) => $in.includes(value)),
    ),
  );

  test.each([
    ['newest first', { field: '_id', direction: -1 } as const, (a: Row, b: Row) => (a._id < b._id ? 1 : -1)],
    [
      'by a number',
      { field: 'size', direction: 1 } as const,
      (a: Row, b: Row) => a.size - b.size || (a._id < b._id ? -1 : 1),
    ],
  ])('has the pages of all that match, %s, the second time, too', async (_order, order, byOrder) => {
    const sorted = matching.toSorted(byOrder).map(({ _id }) => _id);
    for (let time = 0; time < 2; time++) {
      const seen: string[] = [];
      for (let after: OrderedRead['after']; ; ) {
        const page = await inOrder<Row>(ChosenModel, { filter, order, after, limit: 40, present: [] });
        seen.push(...page.map(({ _id }) => _id));
        const last = page.at(-1);
        if (!last || page.length < 40) break;
        after = { id: last._id, value: last[order.field as '_id' | 'size'] };
      }
      expect(seen).toEqual(sorted);
    }
  });

  test.each([1, 50, COUNT])('is counted up to %i', async (limit) => {
    const order = { field: '_id', direction: -1 } as const;
    for (let time = 0; time < 2; time++) {
      expect(await countInOrder(ChosenModel, { filter, order, limit })).toBe(Math.min(limit, matching.length));
    }
  });
});

test('each value is asked for by itself, which an index can answer, unless there are too many', async () => {
  const order = { field: '_id', direction: -1 } as const;
  const asked: unknown[] = [];
  const note: typeof walkIndex = (model, read) => {
    asked.push(read.filter.word);
    return walkIndex(model, read);
  };
  const read = { order, range: { $gt: uuidAt(Date.now() - 5_000) }, limit: 10, present: [] };
  await walkEachChoice(note)(ChosenModel, { ...read, filter: { organizationId, word: words(1, 2) } });
  await walkEachChoice(note)(ChosenModel, { ...read, filter: { organizationId, word: MANY } });
  expect(asked).toEqual(['w1', 'w2', MANY]);
  asked.length = 0;
  const counting: typeof countIndex = (model, counted) => {
    asked.push(counted.filter.word);
    return countIndex(model, counted);
  };
  await countEachChoice(counting, walkIndex)(ChosenModel, { ...read, filter: { organizationId, word: words(1, 2) } });
  expect(asked).toEqual(['w1', 'w2']);
  asked.length = 0;
  // Without bounds the choice is the last condition, which one query is enough for.
  const { range: _, ...whole } = { ...read, filter: { organizationId, word: words(1, 2) } };
  await countEachChoice(counting, walkIndex)(ChosenModel, whole);
  await walkEachChoice(note)(ChosenModel, whole);
  expect(asked).toEqual([words(1, 2), words(1, 2)]);
});

type Row = (typeof documents)[number];
