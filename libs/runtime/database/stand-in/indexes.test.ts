import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { createOwnIndexes, dropOwnIndexes, hasWholeOne, ownIndexOf } from './indexes.ts';

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

test('a whole index stands beside a partial one of whatever has a field, once and again, and two documents may lack the field', async () => {
  const schema = new mongoose.Schema({ _id: String, organizationId: String, since: Date }, { collection: 'partial' });
  const having = { partialFilterExpression: { since: { $exists: true } } };
  schema.index({ organizationId: 1, _id: 1 });
  schema.index({ organizationId: 1, since: 1 }, having);
  schema.index({ organizationId: 1, name: 1 }, { ...having, unique: true });
  const partial = mongoose.model('Test partial', schema);
  await partial.createIndexes();
  for (let time = 0; time < 2; time++) await createOwnIndexes([partial]);
  const names = (await partial.collection.indexes()).map(({ name }) => name);
  expect(names.filter((name) => name?.startsWith('whole_'))).toEqual(['whole_organizationId_1_since_1']);
  await partial.insertMany(['one', 'two'].map((_id) => ({ _id, organizationId: 'o' })));
});

test.each([
  ['of what has the field', { partialFilterExpression: { since: { $exists: true } } }, true],
  ['of what has the field, unique', { partialFilterExpression: { since: { $exists: true } }, unique: true }, false],
  ['of what has one value', { partialFilterExpression: { kind: 'deleted' } }, false],
  ['of all', {}, false],
])('an index %s', (_which, options, isDoubled) => expect(hasWholeOne(options)).toBe(isDoubled));
