import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { transaction } from '../transaction.ts';
import { updateEach } from '../writes/update-each.ts';
import { inOneCommit } from './one-commit.ts';

const CountModel = mongoose.model(
  'Count',
  new mongoose.Schema({ _id: String, by: String, seen: Number }, { collection: 'counts', versionKey: false }),
);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  const url = new URL(mongodbUrl);
  url.searchParams.set('monitorCommands', 'true');
  await connectDatabase({ url: url.href, database: `${databasePrefix}_commit`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

/** Documents, a function that changes those of them that exist, and one that reads them. */
async function documents(count: number) {
  const ids = Array.from({ length: count }, () => uuidv7());
  await CountModel.insertMany(ids.map((_id) => ({ _id, by: '', seen: 0 })));
  const set = (by: string, of = ids) =>
    inOneCommit(of.length, (options) =>
      updateEach(
        CountModel,
        of.map((_id) => ({ filter: { _id }, set: { by } })),
        options,
      ),
    );
  const found = async () => (await CountModel.find({ _id: mongoose.trusted({ $in: ids }) }).lean()).map(({ by }) => by);
  return { ids, set, found };
}

test.each([
  [2, 0],
  [3, 1],
  [40, 1],
])('%i writes take %i transactions, and each tells whether it found its document', async (count, transactions) => {
  const { ids, set, found } = await documents(count);
  const client = mongoose.connection.getClient();
  let commits = 0;
  const note = ({ commandName }: mongo.CommandStartedEvent) => {
    if (commandName === 'commitTransaction') commits++;
  };
  client.on('commandStarted', note);
  const others = ids.slice(1);
  const areSet = await set('me', [...others, uuidv7()]);
  client.off('commandStarted', note);
  expect(areSet).toEqual([...others.map(() => true), false]);
  expect(commits).toBe(transactions);
  expect((await found()).toSorted()).toEqual(['', ...others.map(() => 'me')]);
});

test('writes that meet a transaction under way are made all the same, after it', async () => {
  const { ids, set, found } = await documents(5);
  const holds = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const other = transaction(Date.now() + 30_000, async (session) => {
    await CountModel.updateOne({ _id: ids[3] }, { $set: { by: 'other', seen: 1 } }, { session });
    holds.resolve();
    await mayCommit.promise;
  });
  await holds.promise;
  const mine = set('me');
  // Those before the one that is locked: they show that it has begun.
  await expect.poll(async () => (await found()).filter((by) => by === 'me').length).toBe(3);
  mayCommit.resolve();
  await other;
  expect(await mine).toEqual(ids.map(() => true));
  expect(await found()).toEqual(ids.map(() => 'me'));
  expect(await CountModel.findById(ids[3]).lean()).toMatchObject({ by: 'me', seen: 1 });
});
