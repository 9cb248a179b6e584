import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../report/progress.ts';
import { StartError } from '../report/start-error.ts';
import { installDebianPackages } from './apt.ts';
import { type Credentials, loadCredentials } from './credentials.ts';
import { findMongod, mongodKind, secantusKind } from './mongodb.ts';
import { findRabbitmq, rabbitmqctl, rabbitmqKind } from './rabbitmq.ts';
import { findRedis, redisKind } from './redis.ts';
import { findSecantus, installSecantus } from './secantus.ts';
import { type Server, startServer } from './server.ts';

export interface ServerUrls {
  readonly rabbitmq: string;
  readonly redis: string;
  readonly mongodb: string;
}

export interface Servers {
  readonly rabbitmq: Server;
  readonly redis: Server;
  readonly mongodb: Server;
  readonly urls: ServerUrls;
  /** `rabbitmqctl` on our own broker, for example `['set_vm_memory_high_watermark', '0.0001']`. @returns what it printed */
  rabbitmqctl(args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
  /** SIGKILL, for data that nobody needs any more. */
  discard(): Promise<void>;
}

export interface ServerOptions {
  /** Contains a folder for each server, and `logs/`. Only one stack may use it at a time: see data-dir.ts. */
  readonly dataDir: string;
  readonly progress: Progress;
  /** External servers: if a URL is given, that server is used and none is started. */
  readonly given?: Partial<ServerUrls>;
  /** On our own broker, besides `/`. */
  readonly vhosts?: readonly string[];
}

/** The variables that name external servers. */
export function givenServers(env: NodeJS.ProcessEnv): Partial<ServerUrls> {
  return {
    rabbitmq: env.RABBITMQ_URL || undefined,
    redis: env.REDIS_URL || undefined,
    mongodb: env.MONGODB_URL || undefined,
  };
}

/** Finds or installs the three servers, starts them concurrently and waits until each responds. If one fails, none stays. */
export async function startServers(options: ServerOptions): Promise<Servers> {
  const { dataDir, progress, given = {}, vhosts = [] } = options;
  await installMissing(dataDir, given, progress);
  const credentials = loadCredentials(dataDir);
  const log = (name: string) => join(dataDir, 'logs', `${name}.log`);
  const rabbitmqProgram = findRabbitmq();
  const rabbitmqDir = join(dataDir, 'rabbitmq');

  const starts = [
    given.rabbitmq !== undefined
      ? ofOthers('RabbitMQ', given.rabbitmq)
      : startServer(rabbitmqKind(found(rabbitmqProgram), rabbitmqDir, log('rabbitmq'), credentials, vhosts)),
    given.redis !== undefined
      ? ofOthers('Redis', given.redis)
      : startServer(redisKind(found(findRedis()), join(dataDir, 'redis'), log('redis'), credentials.redisPassword)),
    given.mongodb !== undefined
      ? ofOthers('MongoDB', given.mongodb)
      : startDatabase(dataDir, log('mongodb'), credentials),
  ] as const;
  const outcomes = await progress.step('Starting the servers', () => Promise.allSettled(starts));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await Promise.all(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.part?.stop() : undefined)),
    );
    throw failure.reason;
  }
  const [rabbitmq, redis, mongodb] = (await Promise.all(starts)) as [Server, Server, Server];
  const all = [rabbitmq, redis, mongodb];
  return {
    rabbitmq,
    redis,
    mongodb,
    urls: { rabbitmq: rabbitmq.url, redis: redis.url, mongodb: mongodb.url },
    rabbitmqctl: (args) => rabbitmqctl(found(rabbitmqProgram), rabbitmqDir, args),
    stop: async () => void (await Promise.all(all.map(({ part }) => part?.stop()))),
    discard: async () => void (await Promise.all(all.map(({ part }) => part?.kill()))),
  };
}

function ofOthers(name: string, url: string): Server {
  return { name, url, part: undefined };
}

async function installMissing(dataDir: string, given: Partial<ServerUrls>, progress: Progress): Promise<void> {
  const missing: [name: string, debianPackage: string][] = [];
  if (given.rabbitmq === undefined && !findRabbitmq()) missing.push(['RabbitMQ', 'rabbitmq-server']);
  if (given.redis === undefined && !findRedis()) missing.push(['Redis', 'redis-server']);
  if (missing.length > 0) {
    const what = missing.map(([name]) => name).join(' and ');
    await installDebianPackages(
      missing.map(([, debianPackage]) => debianPackage),
      what,
      progress,
    );
  }
  if (given.mongodb !== undefined) return;
  const isMongodb = goesOnWithMongodb(dataDir);
  if (isMongodb && !findMongod()) throw new StartError(`The data in ${dataDir} are MongoDB's: install mongod again.`);
  if (!isMongodb && !findSecantus()) await installSecantus(progress);
}

/** With the server that began: the other reads none of its files, and would begin without any data. */
function goesOnWithMongodb(dataDir: string): boolean {
  if (existsSync(join(dataDir, 'mongodb', 'WiredTiger'))) return true;
  return !existsSync(join(dataDir, 'secantusdb', 'storage', 'WiredTiger')) && findMongod() !== undefined;
}

function startDatabase(dataDir: string, logFile: string, { mongodbPassword }: Credentials): Promise<Server> {
  return goesOnWithMongodb(dataDir)
    ? startServer(mongodKind(found(findMongod()), join(dataDir, 'mongodb'), logFile, mongodbPassword))
    : startServer(secantusKind(found(findSecantus()), join(dataDir, 'secantusdb'), logFile, mongodbPassword));
}

function found(program: string | undefined): string {
  if (program === undefined) throw new Error('A server was installed but cannot be found.');
  return program;
}
