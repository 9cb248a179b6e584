import { describe, expect, test } from 'vitest';
import { type Index, type Plan, planOf, type Query } from './plan.ts';

type Expected = Partial<Plan>;
type Case = readonly [what: string, indexes: readonly Index[], query: Query, plan: Expected];
const BY_ID: Index = { key: { _id: 1 }, unique: true };

/** By page of MongoDB's manual, with its own examples where it has one. */
const pages: Readonly<Record<string, readonly Case[]>> = {
  'Query Plans': [
    ['an equality on _id alone', [BY_ID], { filter: { _id: 1 } }, { stage: 'IDHACK', atMost: 1, fetch: true }],
    ['no index for the field', [BY_ID], { filter: { quantity: 1 } }, { stage: 'COLLSCAN', fetch: true }],
    ['no filter', [BY_ID], { filter: {} }, { stage: 'COLLSCAN' }],
    ['no index for the order', [BY_ID], { filter: {}, sort: { a: 1 } }, { stage: 'COLLSCAN', sort: 'memory' }],
  ],
  'Compound Indexes: Index Prefixes': [
    [
      'a prefix',
      [{ key: { item: 1, location: 1, stock: 1 } }],
      { filter: { item: 'a', location: 'b' } },
      { stage: 'IXSCAN', bounds: { item: 'point', location: 'point' }, filtered: [] },
    ],
    [
      'a gap: the field after it is looked at, and narrows nothing',
      [{ key: { item: 1, location: 1, stock: 1 } }],
      { filter: { item: 'a', stock: { $gt: 1 } } },
      { bounds: { item: 'point', location: 'all', stock: 'half' }, filtered: [] },
    ],
    [
      'without the first field',
      [{ key: { item: 1, location: 1, stock: 1 } }],
      { filter: { location: 'b', stock: 1 } },
      { stage: 'COLLSCAN' },
    ],
    [
      'the longer of two',
      [{ key: { item: 1 } }, { key: { item: 1, location: 1 } }],
      { filter: { item: 'a', location: 'b' } },
      { index: 'item_1_location_1', filtered: [] },
    ],
    [
      'a field that no index has',
      [{ key: { item: 1 } }],
      { filter: { item: 'a', colour: 'red' } },
      { index: 'item_1', filtered: ['colour'] },
    ],
  ],
  'The ESR (Equality, Sort, Range) Guideline': [
    [
      'equality, sort, range',
      [{ key: { manufacturer: 1, model: 1, cost: 1 } }],
      { filter: { manufacturer: 'Ford', cost: { $gt: 15_000 } }, sort: { model: 1 } },
      { sort: 'index', bounds: { manufacturer: 'point', model: 'all', cost: 'half' } },
    ],
    [
      'range before sort',
      [{ key: { manufacturer: 1, cost: 1, model: 1 } }],
      { filter: { manufacturer: 'Ford', cost: { $gt: 15_000 } }, sort: { model: 1 } },
      { sort: 'memory' },
    ],
    [
      'of both, the one that need not sort',
      [{ key: { manufacturer: 1, cost: 1, model: 1 } }, { key: { manufacturer: 1, model: 1, cost: 1 } }],
      { filter: { manufacturer: 'Ford', cost: { $gt: 15_000 } }, sort: { model: 1 } },
      { index: 'manufacturer_1_model_1_cost_1', sort: 'index' },
    ],
    [
      'a list of values before the sort is taken apart and merged',
      [{ key: { manufacturer: 1, model: 1 } }],
      { filter: { manufacturer: { $in: ['Ford', 'GM'] } }, sort: { model: 1 } },
      { sort: 'merge' },
    ],
    [
      'a list of 201 values is not',
      [{ key: { manufacturer: 1, model: 1 } }],
      { filter: { manufacturer: { $in: Array.from({ length: 201 }, (_, i) => i) } }, sort: { model: 1 } },
      { sort: 'memory' },
    ],
    [
      'two lists, taken apart together',
      [{ key: { a: 1, b: 1, c: 1 } }],
      { filter: { a: { $in: [1, 2] }, b: { $in: [1, 2, 3] } }, sort: { c: 1 } },
      { sort: 'merge' },
    ],
    [
      'a list of one value is an equality',
      [{ key: { manufacturer: 1, model: 1 } }],
      { filter: { manufacturer: { $in: ['Ford'] } }, sort: { model: 1 } },
      { sort: 'index' },
    ],
  ],
  'Use Indexes to Sort Query Results': [
    [
      'a prefix',
      [{ key: { a: 1, b: 1, c: 1, d: 1 } }],
      { filter: {}, sort: { a: 1, b: 1 } },
      { stage: 'IXSCAN', sort: 'index', direction: 'forward' },
    ],
    [
      'its reverse',
      [{ key: { a: 1, b: 1, c: 1, d: 1 } }],
      { filter: {}, sort: { a: -1, b: -1 } },
      { sort: 'index', direction: 'backward' },
    ],
    ['neither', [{ key: { a: 1, b: 1 } }], { filter: { a: { $gt: 1 } }, sort: { a: 1, b: -1 } }, { sort: 'memory' }],
    [
      'mixed, as the index',
      [{ key: { a: 1, b: -1 } }],
      { filter: {}, sort: { a: -1, b: 1 } },
      { sort: 'index', direction: 'backward' },
    ],
    [
      'not a prefix, with equality before it',
      [{ key: { a: 1, b: 1, c: 1, d: 1 } }],
      { filter: { a: 5 }, sort: { b: 1, c: 1 } },
      { sort: 'index', bounds: { a: 'point' } },
    ],
    [
      'not a prefix, with equality on another',
      [{ key: { a: 1, b: 1, c: 1, d: 1 } }],
      { filter: { b: 3 }, sort: { c: 1 } },
      { stage: 'COLLSCAN', sort: 'memory' },
    ],
    [
      'equality within the order',
      [{ key: { a: 1, b: 1, c: 1, d: 1 } }],
      { filter: { b: 3 }, sort: { a: 1, c: 1 } },
      { sort: 'index' },
    ],
    [
      'a range on the first field of the order',
      [{ key: { a: 1, b: 1, c: 1 } }],
      { filter: { a: { $gt: 4 } }, sort: { a: 1, b: 1 } },
      { sort: 'index', bounds: { a: 'half' } },
    ],
    [
      'a range before the order',
      [{ key: { a: 1, b: 1, c: 1 } }],
      { filter: { a: { $gt: 2 } }, sort: { c: 1 } },
      { sort: 'memory' },
    ],
    [
      'by a field that is held to one value',
      [{ key: { a: 1, b: 1 } }],
      { filter: { a: 1 }, sort: { a: -1, b: 1 } },
      { sort: 'index', direction: 'forward' },
    ],
  ],
  'Multikey Index Bounds': [
    [
      'two ends on an array are not joined',
      [{ key: { ratings: 1 }, multikey: ['ratings'] }],
      { filter: { ratings: { $gte: 3, $lte: 6 } } },
      { bounds: { ratings: 'half' }, filtered: ['ratings'] },
    ],
    [
      'two ends on a plain field are',
      [{ key: { rating: 1 } }],
      { filter: { rating: { $gte: 3, $lte: 6 } } },
      { bounds: { rating: 'range' }, filtered: [] },
    ],
    [
      'a plain field and an array',
      [{ key: { item: 1, ratings: 1 }, multikey: ['ratings'] }],
      { filter: { item: 'XYZ', ratings: { $gte: 3 } } },
      { bounds: { item: 'point', ratings: 'half' } },
    ],
    [
      'two fields of one array: the first alone',
      [{ key: { 'ratings.score': 1, 'ratings.by': 1 }, multikey: ['ratings'] }],
      { filter: { 'ratings.score': { $lte: 5 }, 'ratings.by': 'anon' } },
      { bounds: { 'ratings.score': 'half' }, filtered: ['ratings.by'] },
    ],
    [
      'all of several values: one is looked up',
      [{ key: { tags: 1 }, multikey: ['tags'] }],
      { filter: { tags: { $all: ['a', 'b'] } } },
      { bounds: { tags: 'point' }, filtered: ['tags'] },
    ],
    [
      'an array gives no order',
      [{ key: { a: 1, tags: 1 }, multikey: ['tags'] }],
      { filter: { a: 1 }, sort: { tags: 1 } },
      { sort: 'memory' },
    ],
    [
      'behind one value of an array the order holds',
      [{ key: { a: 1, tags: 1, _id: 1 }, multikey: ['tags'] }],
      { filter: { a: 1, tags: 'x' }, sort: { _id: -1 } },
      { sort: 'index', direction: 'backward' },
    ],
  ],
  'Partial Indexes': [
    [
      'a query that says less',
      [{ key: { cuisine: 1 }, partialFilterExpression: { rating: { $gt: 5 } } }],
      { filter: { cuisine: 'Italian', rating: { $lt: 8 } } },
      { stage: 'COLLSCAN' },
    ],
    [
      'a query that says nothing of it',
      [{ key: { cuisine: 1 }, partialFilterExpression: { rating: { $gt: 5 } } }],
      { filter: { cuisine: 'Italian' } },
      { stage: 'COLLSCAN' },
    ],
    [
      'a query that says more',
      [{ key: { cuisine: 1 }, partialFilterExpression: { rating: { $gt: 5 } } }],
      { filter: { cuisine: 'Italian', rating: { $gte: 8 } } },
      { index: 'cuisine_1', filtered: ['rating'] },
    ],
    [
      'a value above',
      [{ key: { cuisine: 1 }, partialFilterExpression: { rating: { $gt: 5 } } }],
      { filter: { cuisine: 'Italian', rating: 6 } },
      { index: 'cuisine_1' },
    ],
    [
      'a list, all above',
      [{ key: { a: 1 }, partialFilterExpression: { a: { $gt: 5 } } }],
      { filter: { a: { $in: [7, 8, 9] } } },
      { index: 'a_1' },
    ],
    [
      'a list, one not above',
      [{ key: { a: 1 }, partialFilterExpression: { a: { $gt: 5 } } }],
      { filter: { a: { $in: [5, 8] } } },
      { stage: 'COLLSCAN' },
    ],
    [
      'a value that exists',
      [{ key: { email: 1 }, partialFilterExpression: { email: { $exists: true } } }],
      { filter: { email: 'a@example.com' } },
      { index: 'email_1' },
    ],
    [
      'null does not',
      [{ key: { email: 1 }, partialFilterExpression: { email: { $exists: true } } }],
      { filter: { email: null } },
      { stage: 'COLLSCAN' },
    ],
  ],
  'Sparse Indexes': [
    ['a value', [{ key: { score: 1 }, sparse: true }], { filter: { score: { $lt: 90 } } }, { index: 'score_1' }],
    [
      'an order of all',
      [{ key: { score: 1 }, sparse: true }],
      { filter: {}, sort: { score: -1 } },
      { stage: 'COLLSCAN', sort: 'memory' },
    ],
    [
      'what is not there',
      [{ key: { score: 1 }, sparse: true }],
      { filter: { score: { $exists: false } } },
      { stage: 'COLLSCAN' },
    ],
  ],
  'Query Optimization: Covered Queries': [
    [
      'fields of the index without the id',
      [{ key: { type: 1, item: 1 } }],
      { filter: { type: 'food', item: /^c/ }, projection: { item: 1, _id: 0 } },
      { fetch: true, filtered: ['item'] },
    ],
    [
      'all exact',
      [{ key: { type: 1, item: 1 } }],
      { filter: { type: 'food' }, projection: { item: 1, _id: 0 } },
      { fetch: false },
    ],
    [
      'with the id, which the index has not',
      [{ key: { type: 1, item: 1 } }],
      { filter: { type: 'food' }, projection: { item: 1 } },
      { fetch: true },
    ],
    [
      'with the id, which it has',
      [{ key: { type: 1, _id: 1 } }],
      { filter: { type: 'food' }, projection: { _id: 1 } },
      { fetch: false },
    ],
    [
      'an array that is shown',
      [{ key: { type: 1, tags: 1 }, multikey: ['tags'] }],
      { filter: { type: 'food' }, projection: { tags: 1, _id: 0 } },
      { fetch: true },
    ],
    [
      'a count of what the index holds',
      [{ key: { type: 1, item: 1 } }],
      { filter: { type: 'food' }, isCount: true },
      { fetch: false },
    ],
    [
      'a count with a field beside it',
      [{ key: { type: 1 } }],
      { filter: { type: 'food', item: 1 }, isCount: true },
      { fetch: true, filtered: ['item'] },
    ],
  ],
  $or: [
    [
      'each part by its index',
      [{ key: { quantity: 1 } }, { key: { price: 1 } }],
      { filter: { $or: [{ quantity: { $lt: 20 } }, { price: 10 }] } },
      { stage: 'OR', filtered: [] },
    ],
    [
      'one part without',
      [{ key: { quantity: 1 } }],
      { filter: { $or: [{ quantity: { $lt: 20 } }, { price: 10 }] } },
      { stage: 'COLLSCAN' },
    ],
    [
      'what stands beside it bounds each part',
      [{ key: { o: 1, a: 1 } }, { key: { o: 1, b: 1 } }],
      { filter: { o: 1, $or: [{ a: 1 }, { b: 1 }] } },
      { stage: 'OR', filtered: [] },
    ],
    [
      'the same within an $and',
      [{ key: { o: 1, a: 1 } }, { key: { o: 1, b: 1 } }],
      { filter: { $and: [{ o: 1 }, { $or: [{ a: 1 }, { b: 1 }] }] } },
      { stage: 'OR', filtered: [] },
    ],
    [
      'parts in one order are merged',
      [{ key: { a: 1, t: 1 } }, { key: { b: 1, t: 1 } }],
      { filter: { $or: [{ a: 1 }, { b: 1 }] }, sort: { t: 1 } },
      { stage: 'OR', sort: 'merge' },
    ],
    [
      'parts in none are sorted',
      [{ key: { a: 1 } }, { key: { b: 1 } }],
      { filter: { $or: [{ a: 1 }, { b: 1 }] }, sort: { t: 1 } },
      { stage: 'OR', sort: 'memory' },
    ],
  ],
  'Query Selectivity': [
    ['all but one value', [{ key: { status: 1 } }], { filter: { status: { $ne: 'done' } } }, { stage: 'COLLSCAN' }],
    [
      'a pattern that does not say how it begins',
      [{ key: { o: 1, name: 1 } }],
      { filter: { o: 1, name: /ada/ } },
      { bounds: { o: 'point' }, filtered: ['name'] },
    ],
    [
      'one that does',
      [{ key: { o: 1, name: 1 } }],
      { filter: { o: 1, name: /^ada/ } },
      { bounds: { o: 'point', name: 'range' } },
    ],
    [
      'one in any case',
      [{ key: { o: 1, name: 1 } }],
      { filter: { o: 1, name: { $regex: '^ada', $options: 'i' } } },
      { bounds: { o: 'point' }, filtered: ['name'] },
    ],
  ],
  'Query Plans: Plan Selection': [
    [
      'of two indexes, the one on a field that fewer documents share',
      [{ key: { o: 1, project: 1 } }, { key: { o: 1, name: 1 } }],
      { filter: { o: 1, name: { $in: ['a', 'b'] }, project: 'p' } },
      { index: 'o_1_name_1', filtered: ['project'] },
    ],
    [
      'an index that has the order alone is not read whole, where another narrows',
      [{ key: { o: 1, item: 1 } }, { key: { _id: 1 }, unique: true }],
      { filter: { o: 1, item: 'a' }, sort: { _id: 1 } },
      { index: 'o_1_item_1', sort: 'memory' },
    ],
  ],
  'Unique Indexes': [
    [
      'one document',
      [{ key: { o: 1, taskId: 1 }, unique: true }],
      { filter: { o: 1, taskId: 'W-T-1' } },
      { atMost: 1 },
    ],
    [
      'as many as are named',
      [{ key: { o: 1, taskId: 1 }, unique: true }],
      { filter: { o: 1, taskId: { $in: ['a', 'b', 'c'] } }, sort: { title: 1 } },
      { atMost: 3, sort: 'memory' },
    ],
    [
      'the id in a longer index',
      [{ key: { o: 1, _id: 1 } }],
      { filter: { o: 1, _id: { $in: ['a', 'b'] } } },
      { atMost: 2 },
    ],
    ['a part of the key', [{ key: { o: 1, taskId: 1 }, unique: true }], { filter: { o: 1 } }, { atMost: undefined }],
  ],
};

for (const [page, cases] of Object.entries(pages)) {
  describe(page, () => {
    for (const [what, indexes, query, expected] of cases) {
      test(what, () => {
        const plan = planOf(query, indexes, (field) => field === 'project');
        expect(Object.fromEntries(Object.keys(expected).map((key) => [key, plan[key as keyof Plan]]))).toEqual(
          expected,
        );
      });
    }
  });
}
