import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { databaseServer } from '../server.ts';
import { lowestBySearch } from './lowest.ts';

const schema = new mongoose.Schema({ organizationId: String, seq: Number }, { collection: 'places' });
schema.index({ organizationId: 1, seq: 1 }, { unique: true });
const PlaceModel = mongoose.model('Place', schema);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_lowest`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

async function places(first: number, last: number) {
  const organizationId = uuidv7();
  await PlaceModel.insertMany(
    Array.from({ length: last - first + 1 }, (_, index) => ({ organizationId, seq: first + index })),
  );
  return { organizationId };
}

test.each([
  [1, 1],
  [1, 40],
  [2, 40],
  [23, 40],
  [40, 40],
])('the lowest of the numbers from %i to %i is found, wherever the search begins', async (first, last) => {
  const which = await places(first, last);
  for (const from of new Set([1, first])) {
    for (const find of [databaseServer().lowest, lowestBySearch]) {
      expect(await find(PlaceModel, which, { field: 'seq', from, upTo: last })).toBe(first);
    }
  }
});

test('where there are none, there is no lowest', async () => {
  for (const find of [databaseServer().lowest, lowestBySearch]) {
    for (const upTo of [0, 9]) {
      expect(await find(PlaceModel, { organizationId: uuidv7() }, { field: 'seq', from: 1, upTo })).toBeUndefined();
    }
  }
});

test('of thousands hardly any is read', async () => {
  const which = await places(7_000, 9_000);
  let commands = 0;
  const note = ({ command }: mongoose.mongo.CommandStartedEvent) => {
    if (command.find !== 'places') return;
    commands++;
    expect(command.filter.seq).toBeTypeOf('number');
  };
  mongoose.connection.on('commandStarted', note);
  expect(await lowestBySearch(PlaceModel, which, { field: 'seq', from: 1, upTo: 9_000 })).toBe(7_000);
  mongoose.connection.off('commandStarted', note);
  expect(commands).toBeGreaterThan(0);
  expect(commands).toBeLessThanOrEqual(15);
});
