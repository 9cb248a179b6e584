import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { databaseServer } from '../server.ts';

const schema = new mongoose.Schema({ organizationId: String, name: String, value: Number }, { collection: 'counters' });
schema.index({ organizationId: 1, name: 1 }, { unique: true });
const NumberModel = mongoose.model('Number', schema);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_increment`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

const numbered = async (value: number) => {
  const which = { organizationId: uuidv7(), name: 'a number' };
  await NumberModel.insertMany([{ ...which, value }]);
  return which;
};
const increment = (which: Readonly<Record<string, string>>, by: number) =>
  databaseServer().increment(NumberModel, which, 'value', by);

test('each increment has its own result, at once and one after the other', async () => {
  const which = await numbered(0);
  const atOnce = await Promise.all(Array.from({ length: 20 }, () => increment(which, 1)));
  expect(atOnce.toSorted((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(await increment(which, 5)).toBe(25);
  expect(await increment(which, 1)).toBe(26);
});

test('what another process added meanwhile is in it', async () => {
  const which = await numbered(7);
  expect(await increment(which, 1)).toBe(8);
  await NumberModel.collection.updateOne(which, { $inc: { value: 100 } });
  expect(await increment(which, 1)).toBe(109);
});

test('one that is gone, or never was, has none, and one that is made again begins again', async () => {
  const which = await numbered(3);
  expect(await increment(which, 1)).toBe(4);
  await NumberModel.deleteOne(which);
  expect(await increment(which, 1)).toBeUndefined();
  await NumberModel.insertMany([{ ...which, value: 0 }]);
  expect(await increment(which, 1)).toBe(1);
  expect(await increment({ organizationId: uuidv7(), name: 'none' }, 1)).toBeUndefined();
});

test('it is one command, however often', async () => {
  const which = await numbered(0);
  await increment(which, 1);
  const commands: string[] = [];
  const note = ({ commandName }: mongoose.mongo.CommandStartedEvent) => commands.push(commandName);
  mongoose.connection.on('commandStarted', note);
  for (let time = 0; time < 3; time++) await increment(which, 1);
  mongoose.connection.off('commandStarted', note);
  expect(commands.filter((name) => name !== 'ping')).toEqual(['update', 'update', 'update']);
});
