import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { TestProxy } from '@worktrack/rpc/testing/proxy';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { endOfLog } from '../events/end-of-log.ts';
import { COMMAND, COMPILED_ONCE } from '../support/command.ts';
import { StreamReader } from '../support/event-stream.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

/** With one key, open at once. */
const MAX_STREAMS = 20;
/** For a command that waits up to 15 s between two attempts. */
const RETRIES = { timeout: 60_000 };

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
});
beforeEach(async () => {
  organization = await system.newOrganization();
});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A network between the command and its service. */
async function network(): Promise<TestProxy> {
  const proxy = await TestProxy.to(system.baseUrl);
  ends.push(() => proxy.close());
  return proxy;
}

function tail({ args = [] as readonly string[], url = system.baseUrl, apiKey = organization.apiKey } = {}) {
  const child = spawn(process.execPath, [COMMAND, 'events', 'tail', ...args], {
    env: { ...COMPILED_ONCE, PATH: process.env.PATH, WORKTRACK_URL: url, WORKTRACK_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[code: number | null]>;
  ends.push(() => {
    child.kill('SIGKILL');
    return exited;
  });
  const [lines, errors]: [string[], string[]] = [[], []];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const closed = Promise.all([exited, once(child.stdout, 'close'), once(child.stderr, 'close')]);
  return {
    lines,
    errors,
    get seqs(): number[] {
      return lines.map((line) => (JSON.parse(line) as LoggedEvent).seq);
    },
    /** Ctrl-C. */
    async end(): Promise<number | null> {
      child.kill('SIGINT');
      return (await exited)[0];
    },
    /** Once everything that it printed has arrived. */
    exitCode: async () => (await closed)[0][0],
  };
}

async function createItem(title: string): Promise<{ readonly id: string; readonly taskId: string }> {
  const { boardId, columns, call } = organization;
  const body = { title, type: 'task', boardId, boardColumnId: columns['To Do'] };
  return (await call<{ id: string; taskId: string }>('POST', '/api/work-items', body)).data;
}

async function log(query: string): Promise<LoggedEvent[]> {
  return (await organization.call<{ events: LoggedEvent[] }>('GET', `/api/events?limit=200&${query}`)).data.events;
}

const end = () => endOfLog(organization);

test('prints what its options ask for, one line each, and ends with 0 at Ctrl-C', async () => {
  const [item, other] = [await createItem('Asked for'), await createItem('Not asked for')];
  const after = await end();
  const types = ['--types', 'work_item.moved,project.*'];
  const running = tail({ args: [...types, '--work-item-id', item.taskId, '--after', String(after)] });
  for (const { id } of [other, item]) {
    await organization.call('POST', `/api/work-items/${id}/move`, { boardColumnId: 'Review' });
    await organization.call('PATCH', `/api/work-items/${id}`, { title: 'Renamed' });
  }
  await expect.poll(() => running.lines).toHaveLength(1);
  expect(running.lines[0]).toMatch(
    / {2}work_item\.moved {2}W-T-\d+ {2}.*fromColumn="To Do".*toColumn=Review.* {2}by [\w-]+$/,
  );
  expect(running.lines[0]).toContain(`  ${item.taskId}  `);
  expect(await running.end()).toBe(0);
  expect(running.errors).toEqual([]);
});

test('--json prints each event as it is in the log; heartbeats, which are not in it, are not printed', async () => {
  const after = await end();
  const running = tail({ args: ['--json', '--after', String(after)] });
  const { id } = await createItem('Beating');
  const claim = { ids: [id], agent: 'agent 7' };
  const { data } = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const beat = { leaseToken: data.lease.token, note: 'Half of it' };
  await expect.poll(() => running.lines.length).toBeGreaterThan(0);
  expect((await organization.call('POST', `/api/work-items/${id}/progress`, beat)).status).toBe(200);
  const last = await end();
  await expect.poll(() => running.seqs.at(-1)).toBeGreaterThanOrEqual(last);
  expect(running.lines.map((line) => JSON.parse(line))).toEqual(await log(`after=${after}`));
  expect(await running.end()).toBe(0);
});

test('resumes after the last event on each break, says so, and neither loses nor duplicates one', async () => {
  const after = await end();
  const proxy = await network();
  const running = tail({ args: ['--json'], url: proxy.url });
  // Wherever in an event they hit it.
  for (let breaks = 1; breaks <= 4; breaks++) {
    const before = running.lines.length;
    await expect
      .poll(async () => {
        await createItem('While it is connected');
        return running.lines.length;
      })
      .toBeGreaterThan(before);
    const creations = Array.from({ length: 20 }, (_, i) => createItem(`While it breaks ${i}`));
    await creations[10];
    proxy.cut({ stayDown: breaks === 1 });
    await Promise.all(creations);
    if (breaks === 1) {
      await expect.poll(() => running.errors.length).toBeGreaterThan(1);
      proxy.restore();
    }
  }
  const last = await end();
  await expect.poll(() => running.seqs.at(-1)).toBeGreaterThanOrEqual(last);
  const [first = 0] = running.seqs;
  expect(first).toBeGreaterThan(after);
  expect(running.seqs).toEqual(Array.from({ length: running.seqs.length }, (_, i) => first + i));
  expect(running.errors.at(-1)).toMatch(/^The connection broke; resuming after \d+\.$/);
  expect(await running.end()).toBe(0);
});

test('waits for a place if its key already has as many streams as allowed when it resumes', async () => {
  const after = await end();
  const proxy = await network();
  const running = tail({ args: ['--json', '--after', String(after)], url: proxy.url });
  await createItem('Before');
  await expect.poll(() => running.lines.length).toBeGreaterThan(0);
  proxy.cut({ stayDown: true });
  // The gateway notices that the first one is gone.
  const others: StreamReader[] = [];
  ends.push(() => others.map((reader) => reader.leave()));
  const open = async () => {
    others.push(await StreamReader.open(system.baseUrl, organization.apiKey));
    return others.length;
  };
  await expect.poll(() => (others.length < MAX_STREAMS ? open().catch(() => others.length) : MAX_STREAMS)).toBe(20);
  proxy.restore();
  const refused = running.errors.length + 2;
  await expect.poll(() => running.errors.length, RETRIES).toBeGreaterThanOrEqual(refused);
  others[0]?.leave();
  const last = await end();
  await expect.poll(() => running.seqs.at(-1), RETRIES).toBeGreaterThanOrEqual(last);
});

test('ends with 1 and the words of the service if the log does not have its place, and with 2 if its key is revoked', async () => {
  const early = tail({ args: ['--after', '1000000'] });
  expect(await early.exitCode()).toBe(1);
  expect(early.errors).toEqual([expect.stringMatching(/^error: .*\(CURSOR_EXPIRED, request .*\)$/)]);

  const { data } = await organization.call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'Listener' });
  const running = tail({ apiKey: data.key });
  await expect
    .poll(async () => {
      await createItem('Seen');
      return running.lines.length;
    })
    .toBeGreaterThan(0);
  await organization.call('DELETE', `/api/api-keys/${data.id}`);
  expect(await running.exitCode()).toBe(2);
  expect(running.errors.at(-1)).toContain('API_KEY_INVALID');
});

test('ends with 3 if nobody answers, and with 2 if the seq is invalid', async () => {
  expect(await tail({ url: 'http://127.0.0.1:1' }).exitCode()).toBe(3);
  expect(await tail({ args: ['--after', 'now'] }).exitCode()).toBe(2);
});
