import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesOf } from '../../test/support/processes.ts';
import { Progress } from '../report/progress.ts';
import { type Servers, startServers } from './start.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-servers-'));
let servers: Servers;

beforeAll(async () => {
  servers = await startServers({ dataDir: folder, progress: new Progress(process.stderr), vhosts: ['one'] });
});
afterAll(async () => {
  await servers.discard();
  rmSync(folder, { recursive: true });
});

const parts = () => [servers.rabbitmq, servers.redis, servers.mongodb].map(({ part }) => part);

describe('the three servers', () => {
  it('keep what was acknowledged when they are killed, and come back on the same address', async () => {
    const client = await MongoClient.connect(servers.urls.mongodb);
    const session = client.startSession();
    const notes = client.db('kept').collection<{ _id: string }>('notes');
    await session.withTransaction(() => notes.insertOne({ _id: 'acknowledged' }, { session }));
    await session.endSession();
    await client.close();

    await Promise.all(parts().map((part) => part?.kill()));
    await Promise.all(parts().map((part) => part?.restart()));

    const again = await MongoClient.connect(servers.urls.mongodb);
    expect(await again.db('kept').collection<{ _id: string }>('notes').findOne({})).toEqual({ _id: 'acknowledged' });
    await again.close();
    expect(await servers.rabbitmqctl(['list_vhosts', '--silent'])).toContain('one');
  });

  it('listen only on the loopback address', async () => {
    for (const { url } of [servers.rabbitmq, servers.redis, servers.mongodb])
      expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  it('leave no process and no port when they are stopped', async () => {
    expect(processesOf(folder).length).toBeGreaterThanOrEqual(3);
    // As the broker itself does every minute.
    await servers.rabbitmqctl(['eval', 'rabbit_nodes:ensure_epmd().']);
    await servers.stop();
    expect(processesOf(folder)).toEqual([]);
    for (const url of Object.values(servers.urls)) await expect(connected(url)).rejects.toThrow('ECONNREFUSED');
  });
});

function connected(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
