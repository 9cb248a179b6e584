import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

/** Run by other-users.test.ts as a program: tries to get at what a stack has, as the user that it is told to be. */
export interface Attempts {
  /** Undefined: remains the current user. */
  readonly uid: number | undefined;
  readonly databases: readonly string[];
  readonly brokers: readonly string[];
  readonly caches: readonly string[];
  readonly files: readonly string[];
}

/** `done`, or why not: for each attempt by its URL or path. */
export type Outcomes = Readonly<Record<string, string>>;

const TIMEOUT_MS = 10_000;

async function readDatabase(url: string): Promise<void> {
  const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: TIMEOUT_MS });
  try {
    const keys = await client.db('worktrack_keys').collection('keys').countDocuments();
    if (keys === 0) throw new Error('nothing is in it');
  } finally {
    await client.close();
  }
}

async function publish(url: string): Promise<void> {
  const connection = await connect(url, { timeout: TIMEOUT_MS });
  const channel = await connection.createConfirmChannel();
  channel.publish('', 'rpc.keys', Buffer.from('from somebody else'));
  await channel.waitForConfirms();
  await connection.close();
}

async function useCache(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, enableReadyCheck: false });
  redis.on('error', () => {});
  try {
    await redis.set('from somebody else', '1', 'EX', 1);
  } finally {
    redis.disconnect();
  }
}

async function outcome(attempt: () => Promise<void>): Promise<string> {
  try {
    await attempt();
    return 'done';
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return [code, message].join(' ').trim();
  }
}

const attempts = JSON.parse(await text(process.stdin)) as Attempts;
if (attempts.uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(attempts.uid);
  process.setuid?.(attempts.uid);
}
const outcomes: Record<string, string> = {};
for (const url of attempts.databases) outcomes[url] = await outcome(() => readDatabase(url));
for (const url of attempts.brokers) outcomes[url] = await outcome(() => publish(url));
for (const url of attempts.caches) outcomes[url] = await outcome(() => useCache(url));
for (const path of attempts.files) outcomes[path] = await outcome(async () => void readFileSync(path));
process.stdout.write(JSON.stringify(outcomes));
