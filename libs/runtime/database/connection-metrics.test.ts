import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { registry } from '../process/metrics.ts';
import { countConnections } from './connection-metrics.ts';

let client: mongoose.mongo.MongoClient;

beforeAll(async () => {
  const { mongodbUrl } = await servers();
  client = new mongoose.mongo.MongoClient(mongodbUrl, { maxPoolSize: 1 });
  countConnections(client);
  await client.connect();
});
afterAll(() => client?.close());

async function awaited(): Promise<number | undefined> {
  const { values } = (await registry.getSingleMetric('worktrack_database_connections')?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels.state === 'awaited')?.value;
}

test('commands that wait for a connection are counted, and no more once their signal has ended them', async () => {
  const ping = (options = {}) => client.db('admin').command({ ping: 1 }, options);
  await ping();
  const over = new AbortController();
  let started = 0;
  const counts: Promise<number | undefined>[] = [];
  client.on('connectionCheckOutStarted', () => {
    if (++started !== 6) return;
    counts.push(awaited());
    // The driver listens to the signal once it has told of the start.
    queueMicrotask(() => over.abort(new Error('over')));
  });
  const others = Array.from({ length: 5 }, () => ping());
  await expect(ping({ signal: over.signal })).rejects.toThrow('over');
  await Promise.all(others);
  const [most = 0] = await Promise.all(counts);
  expect(most).toBeGreaterThan(1);
  // A later command shows it, once the clock tells it from that one.
  const afterAnother = async () => {
    await ping();
    return await awaited();
  };
  await expect.poll(afterAnother, { interval: 1 }).toBe(0);
});
