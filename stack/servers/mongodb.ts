import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { Child } from '../child.ts';
import { findProgram } from '../find-program.ts';
import { randomSecret } from '../made-once.ts';
import { makePrivateDirectory } from '../make-directory.ts';
import { freePort } from '../ports.ts';
import { writePrivate } from '../private-file.ts';
import { USER } from './credentials.ts';
import { isIntroduced, noteIntroduced, requireNobodyElse, setPassword } from './database-user.ts';
import { endOnPanic } from './end-on-panic.ts';
import { probe } from './probe.ts';
import { type ServerKind, STOP_GRACE_MS, serverEnvironment, untilReady } from './server.ts';

const HOST = '127.0.0.1';
export const REPLICA_SET = 'worktrack';
const START_TIMEOUT_MS = 60_000;
const OPLOG_MB = 512;
/**
 * After so long MongoDB ends a transaction that is still open, as one is whose process has died: until then nobody else can write what it wrote. Half of the
 * deadline of a call, for MongoDB looks every so long divided by two: who waits for it is answered all the same. By default it is a minute.
 */
export const TRANSACTION_LIFETIME_SECONDS = 5;
const PROBE_TIMEOUT_MS = 2_000;
const NOT_YET_INITIALIZED = 94;

export function findMongod(): string | undefined {
  return findProgram('mongod');
}

/** MongoDB itself, as a replica set of one node: transactions need a replica set. */
export function mongodKind(program: string, dataDir: string, logFile: string, password: string): ServerKind {
  const keyFile = join(dataDir, 'key');
  return databaseKind({
    name: 'MongoDB',
    program,
    dataDir,
    storage: dataDir,
    logFile,
    password,
    args(port, asksForPassword) {
      // A replica set asks for passwords only with a key by which its members, of which there is one, know each other.
      if (asksForPassword && !existsSync(keyFile)) writePrivate(keyFile, randomSecret().replaceAll(/[-_]/g, '0'));
      return [
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
        '--setParameter',
        `transactionLifetimeLimitSeconds=${TRANSACTION_LIFETIME_SECONDS}`,
        ...(asksForPassword ? ['--auth', '--keyFile', keyFile] : []),
      ];
    },
    async requireReady(client, port) {
      if (!(await isPrimary(client, `${HOST}:${port}`))) throw new Error('the replica set has no primary yet');
    },
  });
}

/** SecantusDB, a server that speaks MongoDB's protocol: for one machine and for tests. */
export function secantusKind(program: string, dataDir: string, logFile: string, password: string): ServerKind {
  const settings = join(dataDir, 'secantusd.toml');
  const storage = join(dataDir, 'storage');
  return databaseKind({
    name: 'SecantusDB',
    program,
    dataDir,
    storage,
    logFile,
    password,
    args(port, asksForPassword) {
      // Named, so that it reads no file of the same name from the user's home.
      writePrivate(settings, '');
      // Without --sync-on-commit a kill loses about one in a hundred acknowledged transactions.
      return [
        '--config',
        settings,
        '--host',
        HOST,
        '--port',
        `${port}`,
        '--storage-path',
        storage,
        '--log-level',
        'WARNING',
        '--sync-on-commit',
        '--cache-size',
        '512M',
        '--log-file-max',
        '128MB',
        ...(asksForPassword ? ['--auth'] : []),
      ];
    },
    requireReady: async (client) => void (await client.db('admin').command({ ping: 1 })),
    started: endOnPanic,
  });
}

interface Database {
  readonly name: string;
  readonly program: string;
  readonly dataDir: string;
  /** Where its storage engine keeps its files. */
  readonly storage: string;
  readonly logFile: string;
  readonly password: string;
  args(port: number, asksForPassword: boolean): readonly string[];
  requireReady(client: MongoClient, port: number): Promise<void>;
  started?(child: Child): void;
}

function databaseKind(database: Database): ServerKind {
  const { name, dataDir, password, requireReady } = database;
  makePrivateDirectory(dataDir);

  async function start(port: number, asksForPassword: boolean): Promise<Child> {
    const { program: command, args, logFile, started } = database;
    const env = serverEnvironment();
    const child = await Child.start({ name, command, args: args(port, asksForPassword), cwd: dataDir, logFile, env });
    started?.(child);
    return child;
  }
  const probeAs = (userPassword: string | undefined) => (port: number) =>
    withClient(urlOf(port, userPassword), port, (client) => requireReady(client, port));

  const kind: ServerKind = {
    name,
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: (port) => urlOf(port, password),
    probe: probeAs(password),
    async launch(port) {
      if (isIntroduced(dataDir, password)) return await start(port, true);
      const isNew = !existsSync(join(database.storage, 'WiredTiger'));
      await introduce();
      const child = await start(port, true);
      try {
        await untilReady(kind, port, child);
        await withClient(urlOf(port, password), port, (client) => requireNobodyElse(client, isNew));
        noteIntroduced(dataDir, password);
        return child;
      } catch (error) {
        await child.kill();
        throw error;
      }
    },
  };

  /** Tells the database of its user while it asks for none, for only a user could make one later: on a port that nobody is told, and not for longer. */
  async function introduce(): Promise<void> {
    const port = await freePort();
    const child = await start(port, false);
    try {
      await untilReady({ ...kind, probe: probeAs(undefined) }, port, child);
      await withClient(urlOf(port, undefined), port, (client) => setPassword(client, password));
    } finally {
      await child.stop(STOP_GRACE_MS);
    }
  }
  return kind;
}

/** Direct: the one node is all there is, and its address as it knows itself may be that of an earlier start. */
function urlOf(port: number, password: string | undefined): string {
  return password === undefined
    ? `mongodb://${HOST}:${port}/?directConnection=true`
    : `mongodb://${USER}:${password}@${HOST}:${port}/?authSource=admin&directConnection=true`;
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

async function withClient(url: string, port: number, work: (client: MongoClient) => Promise<void>): Promise<void> {
  // The driver looks again for a server that is not there after half a second at the earliest.
  await probe(port);
  const client = new MongoClient(url, { serverSelectionTimeoutMS: PROBE_TIMEOUT_MS });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}
