import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { createLog } from '@worktrack/runtime/process/logging';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../support/servers.ts';
import { notedIn, VIOLATIONS_FILE } from './violations-file.ts';

/** Not the run's: what is recorded here is intended. */
const folder = mkdtempSync(join(tmpdir(), 'worktrack-violations-'));
const file = join(folder, 'violations');

beforeAll(async () => {
  process.env[VIOLATIONS_FILE] = file;
  const { mongodbUrl, databasePrefix } = await servers();
  const log = createLog('test', 'silent');
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_watched`, log });
});
afterAll(async () => {
  await disconnectDatabase();
  rmSync(folder, { recursive: true, force: true });
});

test('what MongoDB refuses is refused before it is sent, and recorded even if nobody looks at the refusal', async () => {
  const items = mongoose.connection.collection<{ _id: number }>('items');
  await items.insertOne({ _id: 1 });
  const session = await mongoose.startSession();
  const work = async () => mongoose.connection.db?.command({ count: 'items' }, { session }).catch(() => 'ignored');
  expect(await session.withTransaction(work)).toBe('ignored');
  await session.endSession();
  expect(notedIn(file)).toEqual([
    expect.stringMatching(/^count items: count in a transaction\n.*\n.*watch\.test\.ts\)$/),
  ]);
  // The connection still works.
  expect(await items.findOne({ _id: 1 })).toEqual({ _id: 1 });
});
