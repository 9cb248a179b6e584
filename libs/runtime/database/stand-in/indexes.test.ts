import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { createOwnIndexes, dropOwnIndexes, ownIndexOf } from './indexes.ts';

const model = (name: string, ...indexes: readonly Record<string, 1 | -1>[]) => {
  const schema = new mongoose.Schema({ _id: String, organizationId: String }, { collection: name });
  for (const keys of indexes) schema.index(keys);
  return mongoose.model(`Test ${name}`, schema);
};
const named = model('named', { organizationId: 1, name: 1 });
const listed = model('listed', { organizationId: 1, _id: 1 });
const apart = model('apart', { name: 1 });
const items = model('work_items', { organizationId: 1, taskId: 1 });

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_indexes`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

test('an index by organization and id is added where others begin with the organization and the model declares none', () => {
  expect([named, listed, apart].map(ownIndexOf)).toEqual([{ organizationId: 1, _id: 1 }, undefined, undefined]);
});

test('it covers what writes rely on', () => {
  expect(ownIndexOf(items)).toEqual({ organizationId: 1, _id: 1, treeVersion: 1, revision: 1 });
});

test('what an earlier version declared for every server is dropped, once and again, and nothing else', async () => {
  const namesOf = async () => (await named.collection.indexes()).map(({ name }) => name).toSorted();
  const models = [named, listed, apart, items];
  await createOwnIndexes(models);
  expect(await namesOf()).toEqual(['_id_', 'organizationId_1__id_1', 'organizationId_1_name_1']);
  await dropOwnIndexes(models);
  await dropOwnIndexes(models);
  expect(await namesOf()).toEqual(['_id_', 'organizationId_1_name_1']);
  expect((await listed.collection.indexes()).map(({ name }) => name)).toContain('organizationId_1__id_1');
});
