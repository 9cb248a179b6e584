import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { Child } from '../child.ts';
import { findProgram } from '../find-program.ts';
import { endOnPanic } from './end-on-panic.ts';
import { probe } from './probe.ts';
import { type ServerKind, serverEnvironment } from './server.ts';

const HOST = '127.0.0.1';
export const REPLICA_SET = 'worktrack';
const START_TIMEOUT_MS = 60_000;
const OPLOG_MB = 512;
const PROBE_TIMEOUT_MS = 2_000;
const NOT_YET_INITIALIZED = 94;

export function findMongod(): string | undefined {
  return findProgram('mongod');
}

/** MongoDB itself, as a replica set of one node: transactions need a replica set. */
export function mongodKind(program: string, dataDir: string, logFile: string): ServerKind {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return {
    name: 'MongoDB',
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: urlOf,
    async probe(port) {
      await withClient(port, async (client) => {
        if (!(await isPrimary(client, `${HOST}:${port}`))) throw new Error('the replica set has no primary yet');
      });
    },
    launch: (port) =>
      Child.start({
        name: 'MongoDB',
        command: program,
        args: [
          '--replSet',
          REPLICA_SET,
          '--bind_ip',
          HOST,
          '--port',
          `${port}`,
          '--dbpath',
          dataDir,
          '--wiredTigerCacheSizeGB',
          '0.5',
          // Nobody replicates from it; by default the log of operations may take 5 % of the disk.
          '--oplogSize',
          `${OPLOG_MB}`,
          // It would lie in /tmp, and stay there when the process is killed.
          '--nounixsocket',
        ],
        cwd: dataDir,
        logFile,
        env: serverEnvironment(),
      }),
  };
}

/** SecantusDB, a server that speaks MongoDB's protocol: for one machine and for tests. */
export function secantusKind(program: string, dataDir: string, logFile: string): ServerKind {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const settings = join(dataDir, 'secantusd.toml');
  return {
    name: 'SecantusDB',
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: urlOf,
    probe: (port) => withClient(port, (client) => client.db('admin').command({ ping: 1 })),
    async launch(port) {
      // Named, so that it reads no file of the same name from the user's home.
      writeFileSync(settings, '');
      const child = await Child.start({
        name: 'SecantusDB',
        command: program,
        // Without --sync-on-commit a kill loses about one in a hundred acknowledged transactions.
        args: [
          '--config',
          settings,
          '--host',
          HOST,
          '--port',
          `${port}`,
          '--storage-path',
          join(dataDir, 'storage'),
          '--log-level',
          'WARNING',
          '--sync-on-commit',
          '--cache-size',
          '512M',
          '--log-file-max',
          '128MB',
        ],
        cwd: dataDir,
        logFile,
        env: serverEnvironment(),
      });
      endOnPanic(child);
      return child;
    },
  };
}

/** Direct: the one node is all there is, and its address as it knows itself may be that of an earlier start. */
function urlOf(port: number): string {
  return `mongodb://${HOST}:${port}/?directConnection=true`;
}

/**
 * Makes a node that answers the only member of a replica set, if it is none yet.
 * @param host its address as it reaches itself
 * @returns whether it takes writes already, which it does soon after
 */
export async function isPrimary(client: MongoClient, host: string): Promise<boolean> {
  const admin = client.db('admin');
  const isWritable = async () => Boolean((await admin.command({ hello: 1 })).isWritablePrimary);
  if (await isWritable()) return true;
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    // The port is another one at each start, and the node's own address is part of its stored configuration.
    if (config.members[0].host !== host) {
      config.members[0].host = host;
      config.version += 1;
      await admin.command({ replSetReconfig: config, force: true });
    }
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED)) throw error;
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
  }
  return await isWritable();
}

async function withClient<T>(port: number, work: (client: MongoClient) => Promise<T>): Promise<void> {
  // The driver looks again for a server that is not there after half a second at the earliest.
  await probe(port);
  const client = new MongoClient(urlOf(port), { serverSelectionTimeoutMS: PROBE_TIMEOUT_MS });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}
