import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Progress } from '../report/progress.ts';
import { findMongod } from './mongodb.ts';
import { startServers } from './start.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'worktrack-servers-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true });
});

const started = () =>
  startServers({
    dataDir,
    progress: new Progress(process.stderr),
    given: { rabbitmq: 'amqp://127.0.0.1', redis: 'redis://127.0.0.1' },
  });

test.skipIf(findMongod() !== undefined)(
  'a database goes on with the server that began it, though a mongod was installed since',
  async () => {
    const first = await started();
    await first.stop();

    const programs = join(dataDir, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'mongod'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}${delimiter}${process.env.PATH}`);
    expect(findMongod()).toBeDefined();
    const second = await started();
    expect(second.mongodb.name).toBe(first.mongodb.name);
    await second.stop();
  },
);

test.skipIf(findMongod() !== undefined)(
  'no other server begins without the data of a mongod that is gone',
  async () => {
    mkdirSync(join(dataDir, 'mongodb'));
    writeFileSync(join(dataDir, 'mongodb', 'WiredTiger'), '');
    await expect(started()).rejects.toThrow('install mongod again');
  },
);
