import { join } from 'node:path';
import { makePrivateDirectory } from '../files/make-directory.ts';
import { writePrivate } from '../files/private-file.ts';
import { Child } from '../processes/child.ts';
import { findProgram } from '../processes/find-program.ts';
import { probe } from './probe.ts';
import { type ServerKind, serverEnvironment } from './server.ts';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 60_000;
/** The tests give each running system its own database. An unused one costs nothing. */
export const DATABASES = 256;

export function findRedis(): string | undefined {
  return findProgram('redis-server') ?? findProgram('valkey-server');
}

/** Nothing is written to disk: Redis holds only what may be lost. */
export function redisKind(program: string, dataDir: string, logFile: string, password: string): ServerKind {
  makePrivateDirectory(dataDir);
  const settings = join(dataDir, 'redis.conf');
  return {
    name: 'Redis',
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: (port) => `redis://:${password}@${HOST}:${port}`,
    probe: (port) => probe(port, `AUTH ${password}\r\n`, (answer) => answer.toString().startsWith('+OK')),
    async launch(port) {
      // In a file, because anybody can read a command line.
      writePrivate(settings, configuration(port, dataDir, password));
      return await Child.start({
        name: 'Redis',
        command: program,
        args: [settings],
        cwd: dataDir,
        logFile,
        env: serverEnvironment(),
      });
    },
  };
}

function configuration(port: number, dataDir: string, password: string): string {
  return [
    `bind ${HOST}`,
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(dataDir)}`,
    'save ""',
    'appendonly no',
    `databases ${DATABASES}`,
    '',
  ].join('\n');
}
