import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { splitMatch } from './split-match.ts';

const indexes = [
  { fields: ['o', '_id'], condition: {} },
  { fields: ['o', 'p', '_id'], condition: {} },
  { fields: ['o', 'p', 'type', '_id'], condition: {} },
  { fields: ['o', 'found'], condition: {} },
  { fields: ['o', 'taskId'], condition: { eventType: 'deleted' } },
];

test.each([
  ['all that an index covers stays one', { o: 1, p: 2 }, [{ o: 1, p: 2 }]],
  ['the longest covered beginning comes first', { type: 3, o: 1, p: 2, who: 4 }, [{ o: 1, p: 2, type: 3 }, { who: 4 }]],
  ['of equals the one that is declared first is taken', { o: 1, p: 2, found: 3 }, [{ o: 1, p: 2 }, { found: 3 }]],
  ['a range ends what is covered', { o: 1, p: { $gt: 2 }, type: 3 }, [{ o: 1, p: { $gt: 2 } }, { type: 3 }]],
  ['so does a choice', { o: 1, p: { $in: [2] }, type: 3 }, [{ o: 1, p: { $in: [2] } }, { type: 3 }]],
  [
    'a choice before an order gives way to a beginning of the order, if that is declared first',
    { o: 1, p: { $in: [2, 4] }, _id: { $lt: 5 } },
    [{ o: 1, _id: { $lt: 5 } }, { p: { $in: [2, 4] } }],
  ],
  ['what is no field is never covered', { o: 1, $or: [{ a: 1 }] }, [{ o: 1 }, { $or: [{ a: 1 }] }]],
  ['what no index begins with stays one', { who: 1, p: 2 }, [{ who: 1, p: 2 }]],
  [
    'a partial index covers its condition',
    { o: 1, taskId: 2, eventType: 'deleted' },
    [{ o: 1, taskId: 2, eventType: 'deleted' }],
  ],
  ['and is of no use without it', { o: 1, taskId: 2 }, [{ o: 1 }, { taskId: 2 }]],
])('%s', (_what, match, split) => {
  expect(splitMatch(match, indexes)).toEqual(split);
});

const schema = new mongoose.Schema(
  { _id: String, organizationId: String, size: Number, kind: String },
  { collection: 'split', versionKey: false },
);
schema.index({ organizationId: 1, size: 1 });
const SplitModel = mongoose.model('Split', schema);

describe('what an index covers in part', () => {
  const organizationId = uuidv7();
  const documents = Array.from({ length: 20 }, (_, n) => ({
    _id: `id${String(n).padStart(2, '0')}`,
    organizationId,
    size: n % 5,
    kind: n % 2 === 0 ? 'even' : 'odd',
  }));
  const named: string[] = [];
  const note = ({ commandName }: mongoose.mongo.CommandStartedEvent) => named.push(commandName);

  beforeAll(async () => {
    const { mongodbUrl, databasePrefix } = await servers();
    const url = new URL(mongodbUrl);
    url.searchParams.set('monitorCommands', 'true');
    await connectDatabase({ url: url.href, database: `${databasePrefix}_split`, log: createLog('test', 'silent') });
    await SplitModel.insertMany(documents);
    mongoose.connection.getClient().on('commandStarted', note);
  });
  afterAll(disconnectDatabase);

  test('is found by it, in the order, with the fields and as many as were asked for', async () => {
    named.length = 0;
    const filter = { organizationId, size: mongoose.trusted({ $in: [1, 2] }), kind: 'odd' };
    const odd = documents.filter(({ size, kind }) => (size === 1 || size === 2) && kind === 'odd');
    expect(odd).toHaveLength(4);
    expect(await SplitModel.find(filter).sort({ _id: 1 }).lean()).toEqual(odd);
    const { kind, size } = odd[2] ?? {};
    expect(await SplitModel.find(filter, { organizationId: 0 }).sort({ _id: -1 }).skip(1).limit(1).lean()).toEqual([
      { _id: odd[2]?._id, size, kind },
    ]);
    expect(await SplitModel.find(filter, { size: 1 }).sort({ _id: 1 }).lean().cursor().next()).toEqual({
      _id: odd[0]?._id,
      size: odd[0]?.size,
    });
    expect(await SplitModel.findOne(filter, { _id: 1 }).sort({ _id: -1 }).lean()).toEqual({ _id: odd[3]?._id });
    expect(await SplitModel.findOne({ ...filter, kind: 'none' }).lean()).toBeNull();
    expect(named).toEqual(Array.from({ length: 5 }, () => 'aggregate'));
  });

  test('in a transaction, too, with what that has written', async () => {
    await mongoose.connection.transaction(async (session) => {
      await SplitModel.insertMany([{ _id: 'new', organizationId, size: 1, kind: 'new' }], { session });
      const found = () => SplitModel.findOne({ organizationId, size: 1, kind: 'new' }, { _id: 1 }).lean();
      expect(await found().session(session)).toEqual({ _id: 'new' });
      expect(await found()).toBeNull();
    });
  });

  test('and what it covers wholly is found as it is', async () => {
    named.length = 0;
    expect(await SplitModel.find({ organizationId, size: 3 }).lean()).toHaveLength(4);
    expect(await SplitModel.findOne({ organizationId, _id: 'id03' }).lean()).toEqual(documents[3]);
    expect(named).toEqual(['find', 'find']);
  });
});
