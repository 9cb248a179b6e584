import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '@worktrack/stack/processes/child';
import { freePort } from '@worktrack/stack/processes/ports';
import { Progress } from '@worktrack/stack/report/progress';
import { findMongod } from '@worktrack/stack/servers/mongodb';
import { findSecantus } from '@worktrack/stack/servers/secantus';
import { STOP_GRACE_MS } from '@worktrack/stack/servers/server';
import { startServers } from '@worktrack/stack/servers/start';
import { connect as connectBroker } from 'amqplib';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';

/** Each test starts all servers twice: a bound for what hangs. */
const TIMEOUT_MS = 180_000;
const folder = mkdtempSync(join(tmpdir(), 'worktrack-older-servers-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the data of a version whose servers asked for no password', { timeout: TIMEOUT_MS }, () => {
  const dataDir = folder;
  const log = join(dataDir, 'log');
  const progress = new Progress(process.stderr);
  /** As that version started them. */
  async function leaveData(): Promise<void> {
    const broker = await startServers({
      dataDir,
      progress,
      given: { redis: 'redis://not.used', mongodb: 'mongodb://not.used' },
    });
    await broker.rabbitmqctl(['change_password', 'guest', 'guest']);
    await broker.rabbitmqctl(['set_user_tags', 'guest', 'administrator']);
    await broker.rabbitmqctl(['set_permissions', 'guest', '.*', '.*', '.*']);
    const asGuest = await connectAsGuest(broker.urls.rabbitmq);
    await (await asGuest.createChannel()).assertQueue('left', { durable: true });
    await asGuest.close();
    await broker.rabbitmqctl(['delete_user', 'worktrack']);
    await broker.stop();
    rmSync(join(dataDir, 'credentials.json'));

    const port = await freePort();
    const storage = join(dataDir, 'secantusdb', 'storage');
    mkdirSync(join(dataDir, 'secantusdb'));
    const database = await Child.start({
      name: 'an open database',
      command: findSecantus() as string,
      args: ['--port', `${port}`, '--storage-path', storage, '--sync-on-commit', '--log-file-max', '128MB'],
      cwd: dataDir,
      logFile: log,
      env: process.env,
    });
    const client = await MongoClient.connect(`mongodb://127.0.0.1:${port}/?directConnection=true`);
    await client.db('kept').collection('notes').insertOne({ text: 'from before' });
    await client.close();
    await database.stop(STOP_GRACE_MS);
  }
  const connectAsGuest = (url: string) => {
    const open = new URL(url);
    open.username = 'guest';
    open.password = 'guest';
    return connectBroker(open.href);
  };

  test.skipIf(findMongod() !== undefined)('is there after a start, and requires one from then on', async () => {
    await leaveData();
    const upgraded = await startServers({ dataDir, progress });
    try {
      const open = new URL(upgraded.urls.mongodb);
      open.username = '';
      open.password = '';
      const stranger = await MongoClient.connect(open.href);
      await expect(stranger.db('kept').collection('notes').findOne()).rejects.toThrow('requires authentication');
      await stranger.close();
      const owner = await MongoClient.connect(upgraded.urls.mongodb);
      expect(await owner.db('kept').collection('notes').findOne()).toMatchObject({ text: 'from before' });
      await owner.close();

      await expect(connectAsGuest(upgraded.urls.rabbitmq)).rejects.toThrow('403');
      const broker = await connectBroker(upgraded.urls.rabbitmq);
      expect(await (await broker.createChannel()).checkQueue('left')).toMatchObject({ queue: 'left' });
      await broker.close();
    } finally {
      await upgraded.stop();
    }
  });

  test('has different passwords at the start after they were removed from their file', async () => {
    const before = await startServers({ dataDir, progress });
    const owner = await MongoClient.connect(before.urls.mongodb);
    await owner.db('kept').collection<{ _id: string }>('notes').insertOne({ _id: 'under the old password' });
    await owner.close();
    await before.stop();
    rmSync(join(dataDir, 'credentials.json'));
    const after = await startServers({ dataDir, progress });
    try {
      const again = await MongoClient.connect(after.urls.mongodb);
      const notes = again.db('kept').collection<{ _id: string }>('notes');
      expect(await notes.countDocuments({ _id: 'under the old password' })).toBe(1);
      await again.close();
      for (const [name, url] of Object.entries(after.urls)) {
        const { username, password } = new URL(before.urls[name as keyof typeof before.urls]);
        const old = Object.assign(new URL(url), { username, password });
        expect(old.password).not.toBe(new URL(url).password);
        await expect(connectTo(old), name).rejects.toThrow(/403|uthenti|closed/);
        await connectTo(new URL(url));
      }
    } finally {
      await after.stop();
    }
  });

  async function connectTo(url: URL): Promise<void> {
    if (url.protocol === 'amqp:') await (await connectBroker(url.href)).close();
    else if (url.protocol === 'redis:') {
      const redis = new Redis(url.href, { lazyConnect: true, retryStrategy: null });
      redis.on('error', () => {});
      await redis.connect().finally(() => redis.disconnect());
    } else await (await MongoClient.connect(url.href)).close();
  }
});
