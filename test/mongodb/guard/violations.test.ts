import { describe, expect, test } from 'vitest';
import { asSent } from '../as-sent.ts';
import type { CommandState, Document } from './command.ts';
import { violations } from './violations.ts';

const $db = 'worktrack_workitems';
const lsid = { id: 'session 1' };
const first = { $db, lsid, txnNumber: 7, autocommit: false, startTransaction: true };
const later = { $db, lsid, txnNumber: 7, autocommit: false };
const open: CommandState = {
  session: { underWay: [], transaction: { number: '7', commands: 1, isEnded: false } },
  shardKeyOf: (collection) => (collection === 'items' ? 'organizationId' : undefined),
};
const find = { find: 'items', filter: { organizationId: 'o' } };
const aggregate = (...pipeline: Document[]) => ({ aggregate: 'items', pipeline, cursor: {} });
const update = (u: unknown, rest: Document = {}) => ({
  update: 'items',
  updates: [{ q: { organizationId: 'o', _id: 'a' }, u, ...rest }],
});
const index = (key: Document, rest: Document = {}) => ({
  createIndexes: 'items',
  indexes: [{ name: 'i', key, ...rest }],
});
const nestedArrays = (levels: number): unknown => (levels === 0 ? 1 : [nestedArrays(levels - 1)]);

type Case = readonly [what: string, command: Document, state?: CommandState];
/** What MongoDB refuses, grouped by what the rule says. */
const refused: readonly (readonly [rule: string, ...Case])[] = [
  // Transactions and Operations
  [
    '$unionWith in a transaction',
    'as a stage',
    { ...aggregate({ $unionWith: { coll: 'boards', pipeline: [] } }), ...later },
  ],
  [
    '$unionWith in a transaction',
    'inside of $lookup',
    { ...aggregate({ $lookup: { from: 'b', pipeline: [{ $unionWith: 'c' }] } }), ...later },
  ],
  [
    '$unionWith in a transaction',
    'inside of $facet',
    { ...aggregate({ $facet: { a: [{ $unionWith: 'c' }] } }), ...later },
  ],
  ['$out in a transaction', 'as the last stage', { ...aggregate({ $match: {} }, { $out: 'other' }), ...later }],
  ['$merge in a transaction', 'as the last stage', { ...aggregate({ $merge: 'other' }), ...first }],
  ['$collStats in a transaction', 'as the first stage', { ...aggregate({ $collStats: {} }), ...later }],
  ['count in a transaction', 'the command, not the stage', { count: 'items', query: {}, ...later }],
  ['listCollections in a transaction', '', { listCollections: 1, ...later }],
  ['listIndexes in a transaction', '', { listIndexes: 'items', ...later }],
  ['explain in a transaction', '', { explain: find, ...later }],
  ['dropIndexes in a transaction', '', { dropIndexes: 'items', index: 'i', ...later }],
  ['killCursors as the first operation', '', { killCursors: 'items', cursors: [1], ...first }],
  ['hello as the first operation', '', { hello: 1, ...first }],
  ['commitTransaction as the first operation', '', { commitTransaction: 1, ...first }],
  [
    'createIndexes in a transaction whose read concern is not local',
    '',
    { ...index({ a: 1 }), ...first, readConcern: { level: 'snapshot' } },
  ],
  ['a collection of config in a transaction', '', { ...find, ...later, $db: 'config' }],
  ['a write to a system collection', '', { insert: 'system.users', documents: [{ _id: 1 }], ...later }],
  ['distinct on a collection that may be sharded', '', { distinct: 'items', key: 'type', ...later }],
  [
    'getMore in a transaction on a cursor that was opened outside',
    '',
    { getMore: 5n, collection: 'items', ...later },
    { ...open, cursorIn: new Map([['5', undefined]]) },
  ],
  [
    'getMore outside of the transaction',
    '',
    { getMore: 5n, collection: 'items', $db, lsid },
    { ...open, cursorIn: new Map([['5', 'session 1:7']]) },
  ],
  // Transactions
  ['readConcern after the first command', '', { ...find, ...later, readConcern: { level: 'snapshot' } }],
  ['readConcern linearizable', '', { ...find, ...first, readConcern: { level: 'linearizable' } }, {}],
  [
    'writeConcern of a single operation',
    '',
    { insert: 'items', documents: [{ _id: 1 }], writeConcern: { w: 1 }, ...later },
  ],
  ['read preference secondary', '', { ...find, ...later, $readPreference: { mode: 'secondary' } }],
  ['a second command that starts', '', { ...find, ...first }],
  [
    'find after the end',
    '',
    { ...find, ...later },
    { session: { underWay: [], transaction: { number: '7', commands: 3, isEnded: true } } },
  ],
  [
    'begins while find of its session',
    'of the same transaction',
    { ...find, ...later },
    { session: { underWay: ['find'], transaction: open.session?.transaction } },
  ],
  [
    'begins while find of its session',
    'without a transaction',
    { ...find, $db, lsid },
    { session: { underWay: ['find'], transaction: undefined } },
  ],
  [
    'with readConcern snapshot',
    'of a write',
    { insert: 'items', documents: [{ _id: 1 }], readConcern: { level: 'snapshot' }, $db },
  ],
  // Limits
  [
    'a document or query of',
    'an insert of 17 MiB',
    { insert: 'items', documents: [{ _id: 1, text: 'x'.repeat(17 * 1024 * 1024) }], $db },
  ],
  [
    'a document or query of',
    'an $in of 17 MiB',
    { find: 'items', filter: { _id: { $in: ['x'.repeat(17 * 1024 * 1024)] } }, $db },
  ],
  [
    'insert of',
    'a message of 49 MB',
    { insert: 'items', documents: Array.from({ length: 4 }, (_, _id) => ({ _id, text: 'x'.repeat(12_500_000) })), $db },
  ],
  [
    '100001 writes in one command',
    '',
    { insert: 'items', documents: Array.from({ length: 100_001 }, (_, _id) => ({ _id })), $db },
  ],
  [
    'a pipeline of 1001 stages',
    '',
    { ...aggregate(...Array.from({ length: 1_001 }, () => ({ $match: { a: 1 } }))), $db },
  ],
  ['nested deeper than 100 levels', '', { insert: 'items', documents: [{ _id: 1, deep: nestedArrays(101) }], $db }],
  // Built-In Roles
  ['setParameter needs more', '', { setParameter: 1, transactionLifetimeLimitSeconds: 5, $db: 'admin' }],
  ['serverStatus needs more', '', { serverStatus: 1, $db: 'admin' }],
  ['collMod needs more', '', { collMod: 'items', $db }],
  ['killAllSessions needs more', '', { killAllSessions: [], $db: 'admin' }],
  ['killSessions of another user', '', { killSessions: [{ id: 's', uid: 'u' }], $db: 'admin' }],
  ['$currentOp needs more', 'of all users', { ...aggregate({ $currentOp: { allUsers: true } }), $db: 'admin' }],
  ['$indexStats needs more', '', { ...aggregate({ $indexStats: {} }), $db }],
  ['$where runs JavaScript', '', { find: 'items', filter: { $or: [{ $where: 'this.a' }] }, $db }],
  [
    '$function runs JavaScript',
    '',
    { ...aggregate({ $project: { a: { $function: { body: '', args: [], lang: 'js' } } } }), $db },
  ],
  ['mapReduce runs JavaScript', '', { mapReduce: 'items', $db }],
  // Writes
  [
    'an upsert into items whose filter does not name organizationId',
    'an update',
    { update: 'items', updates: [{ q: { _id: 'a' }, u: { $set: { a: 1 } }, upsert: true }], $db },
  ],
  [
    'an upsert into items',
    'a range is no value',
    { update: 'items', updates: [{ q: { organizationId: { $gt: '' } }, u: { $set: { a: 1 } }, upsert: true }], $db },
  ],
  [
    'an upsert into items',
    'findAndModify',
    { findAndModify: 'items', query: { _id: 'a' }, update: { $inc: { a: 1 } }, upsert: true, $db },
  ],
  [
    'an upsert into items',
    'bulkWrite',
    {
      bulkWrite: 1,
      nsInfo: [{ ns: `${$db}.items` }],
      ops: [{ update: 0, filter: { _id: 'a' }, updateMods: { $set: { a: 1 } }, upsert: true }],
      $db: 'admin',
    },
  ],
  [
    'a write of several documents as a retryable write',
    'an update',
    { ...update({ $set: { a: 1 } }, { multi: true }), txnNumber: 1, lsid, $db },
  ],
  [
    'a write of several documents as a retryable write',
    'a delete',
    { delete: 'items', deletes: [{ q: {}, limit: 0 }], txnNumber: 1, lsid, $db },
  ],
  ['bulkWrite against a database other than admin', '', { bulkWrite: 1, nsInfo: [], ops: [], $db }],
  ['would conflict', 'the same field twice', { ...update({ $set: { a: 1 }, $inc: { a: 1 } }), $db }],
  [
    'would conflict',
    'a field and a part of it',
    { ...update({ $set: { metadata: {} }, $unset: { 'metadata.ideaId': '' } }), $db },
  ],
  ['would conflict', 'a renamed one', { ...update({ $rename: { a: 'b' }, $set: { b: 1 } }), $db }],
  ['a change of _id', '', { ...update({ $set: { _id: 'b' } }), $db }],
  ['operators beside fields', '', { ...update({ $set: { a: 1 }, b: 1 }), $db }],
  ['$append is no update operator', '', { ...update({ $append: { a: 1 } }), $db }],
  ['a replacement of several documents', '', { ...update({ a: 1 }, { multi: true }), $db }],
  ['$match in an update', '', { ...update([{ $match: {} }]), $db }],
  ['a document with a field $set', '', { insert: 'items', documents: [{ _id: 1, $set: {} }], $db }],
  ['an _id that is an array', '', { insert: 'items', documents: [{ _id: [1] }], $db }],
  // Queries
  ['$or of nothing', '', { find: 'items', filter: { $or: [] }, $db }],
  ['$in without an array', '', { find: 'items', filter: { a: { $in: 'b' } }, $db }],
  ['both includes and excludes', '', { ...find, projection: { a: 1, b: 0 }, $db }],
  ['a projection of a and of a.b', '', { ...find, projection: { a: 1, 'a.b': 1 }, $db }],
  ['$limit of 0', '', { ...aggregate({ $limit: 0 }), $db }],
  ['$group without _id', '', { ...aggregate({ $group: { n: { $sum: 1 } } }), $db }],
  ['$sort of nothing', '', { ...aggregate({ $sort: {} }), $db }],
  ['$geoNear that is not the first stage', '', { ...aggregate({ $match: {} }, { $geoNear: {} }), $db }],
  ['$out that is not the last stage', '', { ...aggregate({ $out: 'a' }, { $match: {} }), $db }],
  ['$facet in $facet', '', { ...aggregate({ $facet: { a: [{ $facet: {} }] } }), $db }],
  [
    'a sort by 33 keys',
    '',
    { ...find, sort: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1])), $db },
  ],
  // Indexes
  ['partial and sparse', '', { ...index({ a: 1 }, { sparse: true, partialFilterExpression: { a: 1 } }), $db }],
  ['$ne in a partial filter', '', { ...index({ a: 1 }, { partialFilterExpression: { a: { $ne: null } } }), $db }],
  [
    '$exists: false in a partial filter',
    '',
    { ...index({ a: 1 }, { partialFilterExpression: { a: { $exists: false } } }), $db },
  ],
  ['a TTL index of several fields', '', { ...index({ a: 1, b: 1 }, { expireAfterSeconds: 1 }), $db }],
  ['a TTL of -1 s', '', { ...index({ a: 1 }, { expireAfterSeconds: -1 }), $db }],
  ['a unique index that does not begin with organizationId', '', { ...index({ taskId: 1 }, { unique: true }), $db }],
  [
    'an index of 33 fields',
    '',
    { ...index(Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1]))), $db },
  ],
  ['an index of a in order 0', '', { ...index({ a: 0 }), $db }],
  ['another index i', '', { ...index({ a: 1 }), $db }, { indexesOf: () => new Map([['i', '{"b":1}']]) }],
  [
    '65 indexes of items',
    '',
    { ...index({ a: 1 }), $db },
    { indexesOf: () => new Map(Array.from({ length: 63 }, (_, i) => [`other ${i}`, ''])) },
  ],
];

const allowed: readonly Case[] = [
  ['a read that begins a transaction', { ...find, ...first, readConcern: { level: 'snapshot' } }, {}],
  ['a write in it', { ...update({ $set: { a: 1 }, $inc: { version: 1 } }), ...later }],
  ['a write of several documents in it', { ...update({ $set: { a: 1 } }, { multi: true }), ...later }],
  ['its end', { commitTransaction: 1, ...later, writeConcern: { w: 'majority', journal: true } }],
  [
    'its end, said again',
    { commitTransaction: 1, ...later },
    { session: { underWay: [], transaction: { number: '7', commands: 3, isEnded: true } } },
  ],
  [
    'another transaction of the same session',
    { ...find, ...first, txnNumber: 8 },
    { session: { underWay: [], transaction: { number: '7', commands: 3, isEnded: true } } },
  ],
  [
    'a join and a count in it',
    {
      ...aggregate(
        { $match: { organizationId: 'o' } },
        { $lookup: { from: 'b', localField: 'a', foreignField: '_id', as: 'b' } },
        { $count: 'n' },
      ),
      ...later,
    },
  ],
  [
    'getMore on a cursor of the transaction',
    { getMore: 5n, collection: 'items', ...later },
    { ...open, cursorIn: new Map([['5', 'session 1:7']]) },
  ],
  ['hello in a transaction, later', { hello: 1, ...later }],
  [
    'an index of a new collection in a transaction of read concern local',
    { ...index({ a: 1 }), ...first, readConcern: { level: 'local' } },
    {},
  ],
  [
    'bulkWrite over collections in a transaction',
    {
      bulkWrite: 1,
      nsInfo: [{ ns: `${$db}.items` }],
      ops: [{ insert: 0, document: { _id: 1 } }],
      ...first,
      $db: 'admin',
    },
    {},
  ],
  ['$unionWith outside of one', { ...aggregate({ $unionWith: 'boards' }), $db, lsid }],
  ['a snapshot read outside of one', { ...find, readConcern: { level: 'snapshot' }, $db, lsid }],
  [
    'an upsert that names the shard key',
    {
      update: 'items',
      updates: [{ q: { organizationId: 'o', _id: 'a' }, u: { $setOnInsert: { a: 1 } }, upsert: true }],
      $db,
    },
    open,
  ],
  [
    'an upsert into what is not sharded by it',
    { update: 'effects', updates: [{ q: { _id: 'a' }, u: { $set: { a: 1 } }, upsert: true }], $db },
    open,
  ],
  ['a retryable write of one document', { ...update({ $set: { a: 1 } }), txnNumber: 1, lsid, $db }],
  ['a pipeline update', { ...update([{ $set: { a: { $add: ['$a', 1] } } }]), $db }],
  ['parts of a document beside each other', { ...update({ $set: { 'a.b': 1, 'a.c': 1, ab: 1 } }), $db }],
  ['killSessions of its own', { killSessions: [{ id: 's' }], $db: 'admin' }],
  ['a projection without the id', { ...find, projection: { a: 1, _id: 0 }, $db }],
  ['a document of 100 levels', { insert: 'items', documents: [{ _id: 1, deep: nestedArrays(99) }], $db }],
  ['a TTL index', { ...index({ createdAt: 1 }, { expireAfterSeconds: 60 }), $db }],
  [
    'a partial index',
    {
      ...index(
        { organizationId: 1, a: 1 },
        { unique: true, partialFilterExpression: { a: { $exists: true }, b: { $in: [1, 2] } } },
      ),
      $db,
    },
  ],
  ['the same index again', { ...index({ a: 1 }), $db }, { indexesOf: () => new Map([['i', '{"a":1}']]) }],
];

describe('what MongoDB refuses is found, and named with its page', () => {
  for (const [rule, what, command, state = open] of refused) {
    test(`${rule}${what && `: ${what}`}`, () => {
      const found = violations(command, state);
      expect(found.map((each) => each.rule).join('\n')).toContain(rule);
      const { command: sent, ...size } = asSent(command);
      expect(violations(sent, { ...state, ...size })).toEqual(found);
      for (const { page } of found) expect(page).toMatch(/^\S.*, https:\/\/www\.mongodb\.com\/docs\/manual\/\S+\/$/);
    });
  }
});

describe('what MongoDB accepts is let through', () => {
  for (const [what, command, state = open] of allowed) {
    test(what, () => expect(violations(command, state)).toEqual([]));
  }
});
