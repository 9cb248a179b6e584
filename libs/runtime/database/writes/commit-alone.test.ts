import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loseReplyOfCommit } from '../../../../test/support/lost-reply.ts';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { commitAlone } from './commit-alone.ts';

const ShelfModel = mongoose.model(
  'Shelf',
  new mongoose.Schema({ _id: String, books: Number }, { collection: 'shelves', versionKey: false }),
);
const DEADLINE_MS = 60_000;

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_alone`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

test('of many that one rule lets in one at a time, each runs at most a few times', async () => {
  const calls = 24;
  const caller = { organizationId: uuidv7() };
  await ShelfModel.create({ _id: 'counted', books: 0 });
  let runs = 0;
  const add = () =>
    commitAlone(
      async (scope) => {
        runs++;
        const { books } = await ShelfModel.findById('counted').session(scope.tx).orFail().lean();
        await oneAtATime({ caller, ...scope }, 'books');
        await ShelfModel.updateOne({ _id: 'counted' }, { $set: { books: (books ?? 0) + 1 } }, { session: scope.tx });
      },
      { deadlineAtMs: Date.now() + DEADLINE_MS },
    );
  await Promise.all(Array.from({ length: calls }, add));
  expect(await ShelfModel.findById('counted').lean()).toMatchObject({ books: calls });
  // All begin at once, and all but one meet somebody; in its turn, one meets at most who has just begun.
  expect(runs).toBeLessThan(calls * 3);
});

test('of what was stored by a commit whose reply was lost, nobody is told that it came to nothing', async () => {
  const outcomes: string[] = [];
  loseReplyOfCommit();
  await commitAlone(async ({ tx, writes }) => {
    writes.afterwards((outcome) => outcomes.push(outcome));
    if (await ShelfModel.exists({ _id: 'lost' }).session(tx)) return;
    writes.insert(ShelfModel, { _id: 'lost', books: 1 });
  });
  expect(outcomes).toEqual(['unknown', 'stored']);
});
