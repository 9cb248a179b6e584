import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../child.ts';
import { findProgram } from '../find-program.ts';
import { probe } from './probe.ts';
import { type ServerKind, serverEnvironment } from './server.ts';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 15_000;
/** The tests give each running system a database of its own. An unused one costs nothing. */
export const DATABASES = 128;

export function findRedis(): string | undefined {
  return findProgram('redis-server') ?? findProgram('valkey-server');
}

/** Nothing is written to disk: Redis holds only what may be lost. */
export function redisKind(program: string, dataDir: string, logFile: string): ServerKind {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return {
    name: 'Redis',
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: (port) => `redis://${HOST}:${port}`,
    probe: (port) => probe(port, 'PING\r\n', (answer) => answer.toString().startsWith('+PONG')),
    launch: (port) =>
      Child.start({
        name: 'Redis',
        command: program,
        args: [
          '--bind',
          HOST,
          '--port',
          `${port}`,
          '--dir',
          dataDir,
          '--save',
          '',
          '--appendonly',
          'no',
          '--databases',
          `${DATABASES}`,
        ],
        cwd: dataDir,
        logFile,
        env: serverEnvironment(),
      }),
  };
}
