import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { asSent } from './as-sent.ts';

const { BSON, Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } = mongoose.mongo;

const Inner = new mongoose.Schema({ name: String, counts: { type: Map, of: Number } }, { _id: false });
const Outer = mongoose.model('as-sent', new mongoose.Schema({ inner: Inner, list: [Inner], content: Buffer }));
const inner = { name: 'ä', counts: { a: 1, b: 2 } };

const COMMANDS: Record<string, () => Record<string, unknown>> = {
  'a query': () => ({
    find: 'items',
    filter: { _id: { $in: ['a', 'b'] }, at: { $gt: new Date(0) }, title: /^a.b/i, none: undefined, nothing: null },
    lsid: { id: new UUID() },
    $db: 'd',
  }),
  'numbers of the driver': () => ({
    getMore: Long.fromString('9223372036854775807'),
    txnNumber: Long.fromNumber(7),
    limit: new Int32(-1),
    part: new Double(1.5),
    exact: Decimal128.fromString('1.25'),
    $clusterTime: { clusterTime: new Timestamp({ t: 1, i: 2 }) },
  }),
  'content and ids': () => ({
    a: Buffer.from('abc'),
    b: new Uint8Array([1, 2]),
    c: new Binary([1, 2]),
    d: new ObjectId(),
  }),
  'Maps, functions and arrays with holes': () => ({
    a: new Map<string, unknown>([['x', new Map([['y', [undefined, 1, '😀']]])]]),
    b: () => 1,
    c: [],
    d: {},
    ['__proto__']: 'own',
  }),
  "mongoose's documents": () => {
    const document = new Outer({ inner, list: [inner, inner], content: Buffer.from('abc') });
    return { insert: 'items', documents: [document], updates: [{ u: { $set: { inner: document.inner } } }] };
  },
};

test.each(Object.entries(COMMANDS))('%s: as the driver writes and the server reads it, in no more bytes', (_, make) => {
  const given = make();
  const written = BSON.serialize(given, { ignoreUndefined: true });
  const { command, bytes } = asSent(given);
  expect(command).toEqual(BSON.deserialize(written));
  expect(Object.keys(command)).toEqual(Object.keys(BSON.deserialize(written)));
  expect(bytes).toBeGreaterThanOrEqual(written.length);
});
