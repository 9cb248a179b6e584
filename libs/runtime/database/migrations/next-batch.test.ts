import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { uuidAt } from '../../../../test/support/uuid-at.ts';
import { createLog } from '../../process/logging.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { nextBatch } from './next-batch.ts';

interface Old {
  readonly _id: string;
  readonly name: string;
  readonly text: string;
}
const OldModel = mongoose.model(
  'Old',
  new mongoose.Schema<Old>({ _id: String, name: String, text: String }, { collection: 'old', versionKey: false }),
);
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_old`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

async function read(after: string, size: number): Promise<Old[]> {
  const all: Old[] = [];
  for (let from = after; ; ) {
    const batch = await nextBatch<Old>(OldModel, from, size, { name: 1 });
    expect(batch.length).toBeLessThanOrEqual(size);
    all.push(...batch);
    const last = batch.at(-1);
    if (!last) return all;
    from = last._id;
  }
}

test('batches go through all documents once, in order, wherever in time they lie', async () => {
  const nowMs = Date.now();
  const times = [
    // Close together, thin, none for months, many in one millisecond, and ahead of this clock.
    ...Array.from({ length: 300 }, (_, index) => nowMs - 9_000 * HOUR_MS + index * 3),
    ...Array.from({ length: 40 }, (_, index) => nowMs - 5_000 * HOUR_MS + index * 50 * HOUR_MS),
    ...Array.from({ length: 250 }, () => nowMs - 2 * HOUR_MS),
    ...Array.from({ length: 10 }, (_, index) => nowMs + index * HOUR_MS),
  ];
  const documents = times.map((ms, index) => ({ _id: uuidAt(ms), name: `${index}`, text: 'long' }));
  await OldModel.insertMany(documents.toReversed());
  const names = documents.toSorted((a, b) => (a._id < b._id ? -1 : 1)).map(({ _id, name }) => ({ _id, name }));

  for (const size of [2, 7, 100, 1_000]) expect(await read('', size)).toEqual(names);
  const middle = names[320]?._id ?? '';
  expect(await read(middle, 50)).toEqual(names.slice(321));
  expect(await read(uuidAt(nowMs - 6_000 * HOUR_MS), 50)).toEqual(names.slice(300));
});

test('documents that are deleted on the way do not end it', async () => {
  await OldModel.deleteMany({});
  const ids = Array.from({ length: 40 }, (_, index) => uuidAt(Date.now() + index));
  await OldModel.insertMany(ids.map((_id) => ({ _id, name: 'old', text: 'long' })));
  const first = await nextBatch<Old>(OldModel, '', 5);
  expect(first.map(({ _id }) => _id)).toEqual(ids.slice(0, 5));
  await OldModel.deleteMany({ _id: mongoose.trusted({ $in: ids.slice(5, 22) }) });
  const rest = await read(ids[4] ?? '', 5);
  expect(rest.map(({ _id }) => _id)).toEqual(ids.slice(22));
});
