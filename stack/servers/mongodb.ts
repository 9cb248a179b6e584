import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { randomSecret } from '../files/made-once.ts';
import { makePrivateDirectory } from '../files/make-directory.ts';
import { writePrivate } from '../files/private-file.ts';
import { Child } from '../processes/child.ts';
import { findProgram } from '../processes/find-program.ts';
import { freePort } from '../processes/ports.ts';
import { untilReady } from '../processes/until-ready.ts';
import { USER } from './credentials.ts';
import { isIntroduced, noteIntroduced, requireNobodyElse, setPassword } from './database-user.ts';
import { endOnPanic } from './end-on-panic.ts';
import { probe } from './probe.ts';
import { type ServerKind, STOP_GRACE_MS, serverEnvironment } from './server.ts';

const HOST = '127.0.0.1';
export const REPLICA_SET = 'worktrack';
const START_TIMEOUT_MS = 60_000;
const OPLOG_MB = 512;
/**
 * How long until MongoDB ends a transaction that is still open, such as that of a dead process: until then nobody else can write what it wrote. Half of a
 * call's deadline, because MongoDB only checks at half this interval: calls waiting for it are still answered. The default is a minute.
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
      // A replica set requires passwords only with a key by which its members, here only one, recognize each other.
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
        // Nobody replicates from it; by default the oplog may take 5 % of the disk.
        '--oplogSize',
        `${OPLOG_MB}`,
        // It would be in /tmp, and stay there when the process is killed.
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
      // Named, so that it does not read a file of the same name from the user's home.
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
        await untilReady(child, () => kind.probe(port), START_TIMEOUT_MS);
        await withClient(urlOf(port, password), port, (client) => requireNobodyElse(client, isNew));
        noteIntroduced(dataDir, password);
        return child;
      } catch (error) {
        await child.kill();
        throw error;
      }
    },
  };

  /** Creates the database's user while it requires none, since later only a user could create one: on a port that nobody knows, and no longer than needed. */
  async function introduce(): Promise<void> {
    const port = await freePort();
    const child = await start(port, false);
    try {
      await untilReady(child, () => probeAs(undefined)(port), START_TIMEOUT_MS);
      await withClient(urlOf(port, undefined), port, (client) => setPassword(client, password));
    } finally {
      await child.stop(STOP_GRACE_MS);
    }
  }
  return kind;
}

/** Direct: there is only the one node, and the address it has for itself may be that of an earlier start. */
function urlOf(port: number, password: string | undefined): string {
  return password === undefined
    ? `mongodb://${HOST}:${port}/?directConnection=true`
    : `mongodb://${USER}:${password}@${HOST}:${port}/?authSource=admin&directConnection=true`;
}

/**
 * Makes a responding node the only member of a replica set, if it is not one yet.
 * @param host the address by which it reaches itself
 * @returns whether it already accepts writes, which it soon will otherwise
 */
export async function isPrimary(client: MongoClient, host: string): Promise<boolean> {
  const admin = client.db('admin');
  const isWritable = async () => Boolean((await admin.command({ hello: 1 })).isWritablePrimary);
  if (await isWritable()) return true;
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    // The port differs at each start, and the node's own address is part of its stored configuration.
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
  // The driver takes at least half a second to look again for a server that is not there.
  await probe(port);
  const client = new MongoClient(url, { serverSelectionTimeoutMS: PROBE_TIMEOUT_MS });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.close();
  }
}
