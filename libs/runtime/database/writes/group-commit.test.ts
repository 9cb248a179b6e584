import { TestProxy } from '@worktrack/rpc/testing/proxy';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { databaseFailure } from '../failure.ts';
import { commitTogether, nextAttempt } from './group-commit.ts';
import { Stale } from './stale.ts';
import { WriteSet } from './write-set.ts';

/** A tree: each node stores what it is below, and its version counts changes of its place. */
const NodeModel = mongoose.model(
  'Node',
  new mongoose.Schema(
    { _id: String, below: [String], children: Number, version: Number },
    { collection: 'nodes', versionKey: false },
  ),
);
const DoneModel = mongoose.model(
  'Done',
  new mongoose.Schema({ _id: String }, { collection: 'done', versionKey: false }),
);
const DEADLINE_MS = 10_000;

let proxy: TestProxy;

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  proxy = await TestProxy.to(mongodbUrl);
  await connectDatabase({ url: proxy.url, database: `${databasePrefix}_groups`, log: createLog('test', 'silent') });
});
afterAll(async () => {
  await disconnectDatabase();
  await proxy.close();
});
beforeEach(async () => {
  await NodeModel.deleteMany({});
  await NodeModel.create([
    { _id: 'top', below: [], version: 1 },
    { _id: 'middle', below: ['top'], version: 1 },
    { _id: 'one', below: [], version: 1 },
    { _id: 'other', below: [], version: 1 },
  ]);
});

function setOf(fill: (writes: WriteSet) => void): WriteSet {
  const writes = new WriteSet();
  fill(writes);
  return writes;
}

function commit(writes: WriteSet, hasTurn = false): Promise<void> {
  const _id = uuidv7();
  writes.insert(DoneModel, { _id });
  const isStored = async () => (await DoneModel.exists({ _id })) !== null;
  return commitTogether(writes, Date.now() + DEADLINE_MS, isStored, hasTurn);
}

/** Whatever arrives while the maximum number of transactions is in flight goes into the next one together. */
function commitInOneGroup(sets: readonly WriteSet[]): Promise<PromiseSettledResult<void>[]> {
  const underWay = ['one', 'other'].map((_id) =>
    setOf((writes) => writes.update(NodeModel, { _id }, { inc: { version: 1 } })),
  );
  return Promise.allSettled([...underWay, ...sets].map((set) => commit(set))).then((outcomes) =>
    outcomes.slice(underWay.length),
  );
}

const middle = (state: object) => ({ of: NodeModel, filter: { _id: 'middle', ...state }, counter: 'uses' });
const insertion = () =>
  setOf((writes) => {
    writes.rely(middle({ version: 1 }), 'shared', { inc: { children: 1 } });
    writes.insert(NodeModel, { _id: 'new', below: ['middle', 'top'], version: 1 });
  });
const moved = [{ $set: { below: { $setDifference: ['$below', ['top']] }, version: { $add: ['$version', 1] } } }];
const removal = () =>
  setOf((writes) => {
    writes.remove(NodeModel, { _id: 'top' });
    writes.updateMany(NodeModel, { below: 'top' }, moved);
  });
const move = () =>
  setOf((writes) => {
    writes.update(NodeModel, { _id: 'top', version: 1 }, { inc: { version: 1 } });
    writes.updateMany(NodeModel, { below: 'top' }, moved, 1);
  });

const belowTop = () => NodeModel.countDocuments({ below: 'top' });

test('a write that is sent again, since the reply to its commit was lost, is refused for its record', async () => {
  class Known extends Error {}
  const writes = setOf((set) => {
    set.update(NodeModel, { _id: 'middle', version: 1 }, { inc: { version: 1 } });
    set.insert(NodeModel, { _id: uuidv7(), below: ['top'], version: 1 });
    set.insertFirst(DoneModel, { _id: uuidv7() }, () => new Known());
  });
  const commitIt = () => commitTogether(writes, Date.now() + DEADLINE_MS, async () => true);
  await commitIt();
  // Along with others, and after another call has changed what it relied on.
  const other = setOf((set) => set.insert(NodeModel, { _id: uuidv7(), version: 1 }));
  const outcomes = await Promise.allSettled([commitIt(), commit(other)]);
  expect(outcomes).toMatchObject([{ reason: expect.any(Known) }, { status: 'fulfilled' }]);
});

test('a rule that has read a document before and after a change of it runs again: it relied on both', async () => {
  const twice = (then: (writes: WriteSet) => void) => () =>
    setOf((writes) => {
      writes.rely(middle({ version: 1 }), 'shared', { inc: { children: 1 } });
      then(writes);
    });
  expect(twice((writes) => writes.rely(middle({ version: 2 })))).toThrow(Stale);
  expect(twice((writes) => writes.update(NodeModel, { _id: 'middle', version: 2 }, {}))).toThrow(Stale);
  expect(twice((writes) => writes.remove(NodeModel, { _id: 'middle', version: 2 }))).toThrow(Stale);
  expect(twice((writes) => writes.rely(middle({ version: 1, children: 1 })))).not.toThrow();
});

test('a write that changes many documents also changes those that others in its transaction insert', async () => {
  const outcomes = await commitInOneGroup([removal(), insertion()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(await NodeModel.findById('new').lean()).toMatchObject({ below: ['middle'] });
  expect(await belowTop()).toBe(0);
});

test.each([
  ['first', () => [move(), insertion()]],
  ['last', () => [insertion(), move()]],
])('what relies on the number of documents shares its transaction with nobody: it comes %s', async (_, sets) => {
  const outcomes = await commitInOneGroup(sets());
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  // Two transactions at once, one of which wins: the other has to look again.
  expect(refused.map(({ reason }) => reason instanceof Stale)).toEqual([true]);
  const isMoved = outcomes[sets()[0]?.reliesOnCount ? 0 : 1]?.status === 'fulfilled';
  expect(await belowTop()).toBe(isMoved ? 0 : 2);
});

test('writes in one group fail together, at once and of what they met, when the database is away', async () => {
  proxy.cut({ stayDown: true });
  try {
    const startedAtMs = performance.now();
    const outcomes = await commitInOneGroup(Array.from({ length: 20 }, () => setOf(() => {})));
    const codes = outcomes.map((outcome) => outcome.status === 'rejected' && databaseFailure(outcome.reason)?.code);
    expect(codes).toEqual(Array(20).fill('UNAVAILABLE'));
    expect(performance.now() - startedAtMs).toBeLessThan(DEADLINE_MS / 2);
  } finally {
    proxy.restore();
  }
});

test('a call that met others is not met again by those who only rely on what it changes, however many they are', async () => {
  await NodeModel.collection.updateOne({ _id: 'middle' as never }, { $set: { uses: 0 } });
  const relies = () => setOf((writes) => writes.rely(middle({ version: 1 })));
  const change = async () => {
    const { uses } = (await NodeModel.findById('middle').orFail().lean()) as unknown as { uses: number };
    const filter = { _id: 'middle', uses };
    await commit(
      setOf((writes) => writes.update(NodeModel, filter, { inc: { children: 1 } })),
      true,
    );
  };
  let isOver = false;
  const relying = Array.from({ length: 8 }, async () => {
    while (!isOver) await commit(relies());
  });
  const keys = setOf((writes) => writes.update(NodeModel, { _id: 'middle' }, {})).exclusiveKeys;
  let met = 0;
  for (let times = 0; times < 20; times++) {
    await nextAttempt(keys, change).catch((error) => {
      expect(error).toBeInstanceOf(Stale);
      met++;
    });
  }
  isOver = true;
  await Promise.all(relying);
  // One that has given way for long on a slow machine goes first after all.
  expect(met).toBeLessThan(5);
});

test('a turn that takes long holds up for a moment who only relies on what it changes, also if nobody else calls', async () => {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const keys = setOf((writes) => writes.update(NodeModel, { _id: 'middle' }, {})).exclusiveKeys;
  const turn = nextAttempt(keys, () => {
    begun.resolve();
    return over.promise;
  });
  await begun.promise;
  try {
    await commit(setOf((writes) => writes.rely(middle({ version: 1 }))));
  } finally {
    over.resolve();
    await turn;
  }
}, 30_000);

test('what somebody has a turn for is not written by who comes anew, unless the turn hangs', async () => {
  const change = (of: string) => setOf((writes) => writes.update(NodeModel, { _id: of }, { inc: { version: 1 } }));
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const turn = nextAttempt(change('middle').exclusiveKeys, async () => {
    begun.resolve();
    await over.promise;
    await commit(change('middle'), true);
  });
  await begun.promise;
  await expect(commit(change('middle'))).rejects.toThrow(Stale);
  await commit(change('top'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_001 });
  try {
    await commit(change('middle'));
  } finally {
    vi.useRealTimers();
    over.resolve();
    await turn;
  }
  expect(await NodeModel.findById('middle').lean()).toMatchObject({ version: 3 });
});
