import { createHash, randomBytes } from 'node:crypto';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { transaction } from '@worktrack/runtime/database/transaction';
import { createLog } from '@worktrack/runtime/process/logging';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { store } from '../testing.ts';
import {
  ContentTooLarge,
  discardUnnamedContent,
  keepContent,
  readContent,
  releaseContent,
  storeContent,
} from './content.repository.ts';

const MAX_BYTES = 1_000_000;

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_content`, log: createLog('test', 'silent') });
});
afterAll(() => disconnectDatabase());

async function* inChunks(bytes: Buffer, chunkBytes = 40_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const inTransaction = (work: Parameters<typeof transaction<void>>[1]) => transaction(Date.now() + 30_000, work);
const chunksStored = () => mongoose.connection.db?.collection('attachmentContent.chunks').countDocuments();
const everything = () => new Date(Date.now() + 60_000);

test('content is read as it was stored, in full and in any part', async () => {
  const bytes = randomBytes(700_000);
  const stored = await storeContent(inChunks(bytes), MAX_BYTES);
  await inTransaction((tx) => keepContent(stored.contentId, tx));
  expect(stored.sizeBytes).toBe(bytes.length);
  expect(stored.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect((await whole(readContent(stored.contentId))).equals(bytes)).toBe(true);
  for (const [start, end] of [
    [0, 0],
    [699_999, 699_999],
    [255_000, 600_000],
    [0, 699_999],
  ] as const) {
    const part = await whole(readContent(stored.contentId, { start, end }));
    expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
  }
});

test('empty content is content', async () => {
  const stored = await storeContent(inChunks(Buffer.alloc(0)), MAX_BYTES);
  expect(stored.sizeBytes).toBe(0);
  expect(await whole(readContent(stored.contentId))).toHaveLength(0);
});

test('content over the limit is refused, and nothing of it remains', async () => {
  await discardUnnamedContent(everything());
  const before = await chunksStored();
  await expect(storeContent(inChunks(randomBytes(MAX_BYTES + 1)), MAX_BYTES)).rejects.toThrow(ContentTooLarge);
  expect(await chunksStored()).toBe(before);
});

test('content whose sender breaks off does not remain', async () => {
  await discardUnnamedContent(everything());
  const before = await chunksStored();
  async function* breakingOff(): AsyncGenerator<Buffer> {
    yield* inChunks(randomBytes(600_000));
    throw new Error('The sender is gone.');
  }
  await expect(storeContent(breakingOff(), MAX_BYTES)).rejects.toThrow('The sender is gone.');
  expect(await chunksStored()).toBe(before);
});

test('content that an attachment names is kept, all other content is removed once it is old', async () => {
  const kept = await storeContent(inChunks(Buffer.from('kept')), MAX_BYTES);
  await inTransaction((tx) => keepContent(kept.contentId, tx));
  await storeContent(inChunks(Buffer.from('left behind by a service that died')), MAX_BYTES);
  const released = await storeContent(inChunks(Buffer.from('of a deleted attachment')), MAX_BYTES);
  await inTransaction((tx) => keepContent(released.contentId, tx));
  await store('an organization', (scope) => releaseContent(scope, [released.contentId]));

  expect(await discardUnnamedContent(new Date(Date.now() - 60_000))).toBe(0);
  expect(await discardUnnamedContent(everything())).toBe(2);
  expect((await whole(readContent(kept.contentId))).toString()).toBe('kept');
  await expect(whole(readContent(released.contentId))).rejects.toThrow();
});
