import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Progress } from '@worktrack/stack/report/progress';
import type { StackFile } from '@worktrack/stack/stack-file';
import { type RunningStack, startStack } from '@worktrack/stack/start';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { processesOf } from '../support/processes.ts';
import type { Attempts, Outcomes } from './intruder.ts';

/** That of `nobody`, by convention; whether the name exists does not matter. */
const NOBODY = 65_534;
const MIN_SECRET_LENGTH = 20;

/** Like a folder that its user has created: protecting what is in it is up to us, not to the folder's mode. */
const folder = mkdtempSync(join(tmpdir(), 'worktrack-other-users-'));
const dataDir = join(folder, 'data');
let stack: RunningStack;
let file: StackFile;
let pids: string[];

beforeAll(async () => {
  for (const name of ['RABBITMQ_URL', 'REDIS_URL', 'MONGODB_URL']) vi.stubEnv(name, '');
  chmodSync(folder, 0o755);
  mkdirSync(dataDir, { mode: 0o755 });
  const options = { port: 0, dataDir, replicas: {}, detach: false };
  stack = await startStack(options, new Progress({ write: () => {} }), '');
  file = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as StackFile;
  const ofServers = processesOf(dataDir).map((line) => line.split(' ', 1)[0] as string);
  pids = [...new Set([...ofServers, ...Object.values(file.pids).flat().map(String)])];
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const files = () =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** In a process of its own, because a process that has given up root does not get it back. */
async function attempt(attempts: Attempts): Promise<Outcomes> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'intruder.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(attempts));
  return (await json(child.stdout)) as Outcomes;
}

/** All values that were created for this stack and are nobody else's business. */
function secrets(): string[] {
  const values = (name: string) =>
    Object.values(JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as Record<string, string>);
  const { apiKey } = file;
  return [
    ...values('credentials.json'),
    ...values('secrets.json').map((value) => value.replace(/^[^:]*:/, '')),
    apiKey,
  ];
}

const without = (url: string, user = '') => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${user}${host}`;
};
const environments = () => pids.map((pid) => `/proc/${pid}/environ`);

test('the owner reads the database, publishes, uses the cache and reads every file', async () => {
  const { mongodb, rabbitmq, redis } = file.urls;
  const all = [...files(), ...environments()];
  const outcomes = await attempt({
    uid: undefined,
    databases: [mongodb],
    brokers: [rabbitmq],
    caches: [redis],
    files: all,
  });
  expect(new Set(Object.values(outcomes))).toEqual(new Set(['done']));
  expect(Object.keys(outcomes)).toHaveLength(all.length + 3);
  expect(pids.length).toBeGreaterThanOrEqual(7);
});

const isRoot = process.getuid?.() === 0;
describe.skipIf(!isRoot)('another user of the machine (only root can act as one)', () => {
  test('reads no database, publishes no message and uses no cache', async () => {
    const { mongodb, rabbitmq, redis } = file.urls;
    const none = { databases: [], brokers: [], caches: [], files: [] };
    const open = await attempt({ ...none, uid: NOBODY, databases: [`${without(mongodb)}/?directConnection=true`] });
    expect(Object.values(open)).toEqual([expect.stringMatching(/^13 .*requires authentication/)]);
    const users = ['', 'guest:guest@', 'guest:@', 'worktrack:@', 'worktrack:guest@'];
    const brokers = users.map((user) => without(rabbitmq, user));
    const published = await attempt({ ...none, uid: NOBODY, brokers });
    expect(Object.keys(published)).toEqual(brokers);
    for (const refusal of Object.values(published)) expect(refusal).toMatch(/403|ACCESS_REFUSED|ACCESS-REFUSED/);
    const cached = await attempt({ ...none, uid: NOBODY, caches: [without(redis)] });
    expect(Object.values(cached)).toEqual([expect.stringMatching(/^NOAUTH/)]);
  });

  test('reads no file in the data directory, and no process’s environment', async () => {
    const all = [...files(), ...environments()];
    for (const name of ['credentials.json', 'secrets.json', 'seed.json', 'stack.json', '.erlang.cookie']) {
      expect(
        all.some((path) => path.endsWith(`/${name}`)),
        name,
      ).toBe(true);
    }
    const outcomes = await attempt({ uid: NOBODY, databases: [], brokers: [], caches: [], files: all });
    expect(Object.keys(outcomes)).toEqual(all);
    for (const [path, refusal] of Object.entries(outcomes)) expect(`${path} ${refusal}`).toMatch(/ EACCES /);
  });
});

test('no command line and no log contains a secret', () => {
  const shown = [
    ...readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => `/proc/${pid}/cmdline`),
    ...files().filter((path) => path.startsWith(join(dataDir, 'logs'))),
  ];
  const all = secrets();
  expect(Math.min(...all.map(({ length }) => length))).toBeGreaterThan(MIN_SECRET_LENGTH);
  expect(new Set(all).size).toBe(all.length);
  const texts = new Map(shown.map((path) => [path, read(path)]));
  expect([...texts].filter(([, content]) => all.some((secret) => content.includes(secret)))).toEqual([]);
  // The search finds what is there.
  expect([...texts.values()].some((content) => content.includes(join(dataDir, 'secantusdb')))).toBe(true);
  const ownFiles = files().map(read).join('\n');
  for (const secret of all) expect(ownFiles.includes(secret)).toBe(true);
});

test.runIf(process.platform === 'linux')('every socket on which the stack listens is on the loopback address', () => {
  const sockets = new Set(pids.flatMap((pid) => listAll(`/proc/${pid}/fd`)));
  const addresses = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      // Columns of proc(5): the local address, the state (0A: listening), the inode.
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
      .map(([, local]) => (local as string).split(':')[0]),
  );
  // The gateway and four ops ports, the broker and its distribution, the cache, the database.
  expect(addresses.length).toBeGreaterThanOrEqual(9);
  expect(new Set(addresses)).toEqual(new Set(['0100007F']));
});

function listAll(fdFolder: string): string[] {
  try {
    return readdirSync(fdFolder).map((fd) => readlinkSync(join(fdFolder, fd)));
  } catch {
    return []; // It has ended meanwhile, or closed one.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // A process that has ended meanwhile.
  }
}
