import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { afterEach, describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const API_KEY = 'wt_of_a_test';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A gateway whose streams break as a test wants them to: each request is answered by the next of these. */
async function gateway(...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    expect(request.headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, accept: 'text/event-stream' });
    asked.push(new URL(request.url ?? '', 'http://localhost'));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function tail(url: string, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'events', 'tail', ...args], {
    env: { PATH: process.env.PATH, WORKTRACK_URL: url, WORKTRACK_API_KEY: API_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ends.push(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const stderr = text(child.stderr);
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  return {
    child,
    stderr,
    next: async () => (await lines.next()).value as string,
    async end() {
      child.kill('SIGINT');
      return (await exited)[0];
    },
    exitCode: async () => (await exited)[0],
  };
}

const event = (seq: number, more: Partial<LoggedEvent> = {}): LoggedEvent => ({
  seq,
  id: `00000000-0000-7000-8000-${String(seq).padStart(12, '0')}`,
  type: 'work_item.moved',
  at: '2026-11-22T14:07:01.000Z',
  actor: { userId: 'u', keyId: 'k', agent: 'claude' },
  subject: { kind: 'work_item', id: 'i', taskId: 'W-T-12' },
  revision: 3,
  data: { fromColumn: 'To Do', toColumn: 'Review' },
  ...more,
});
const sent = (told: LoggedEvent) => `id: ${told.seq}\nevent: ${told.type}\ndata: ${JSON.stringify(told)}\n\n`;

function stream(response: ServerResponse, ...parts: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`: open\nretry: 10\n\n${parts.join('')}`);
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ success: false, error: { code, message, requestId: 'r' } }));
}

describe('worktrack events tail', () => {
  test('prints an event as one line, asks for what its options say, and ends with 0 at Ctrl-C', async () => {
    const { url, asked } = await gateway((response) =>
      stream(response, sent(event(41)), 'event: beat\ndata: {"taskId":"W-T-12"}\n\n', sent(event(42))),
    );
    const running = tail(
      url,
      ...['--types', 'work_item.*,project.updated', '--project-id', 'P', '--work-item-id', 'W-T-12', '--after', '40'],
    );
    const line = '2026-11-22 14:07:01  work_item.moved  W-T-12  fromColumn="To Do" toColumn=Review  by claude';
    expect(await running.next()).toBe(`41  ${line}`);
    expect(await running.next()).toBe(`42  ${line}`);
    expect(await running.end()).toBe(0);
    expect(await running.stderr).toBe('');
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      types: 'work_item.*,project.updated',
      projectId: 'P',
      workItemId: 'W-T-12',
      after: '40',
    });
  });

  test('--json prints an event as it is, on one line', async () => {
    const told = event(7, { data: { text: 'two\nlines' } });
    const { url } = await gateway((response) => stream(response, sent(told)));
    const running = tail(url, '--json');
    expect(JSON.parse(await running.next())).toEqual(told);
    expect(await running.end()).toBe(0);
  });

  test('resumes behind the last event after breaks of every kind, and neither loses nor doubles one', async () => {
    const { url, asked } = await gateway(
      (response) => {
        // Says where it begins, and no more.
        stream(response, 'id: 10\n\n');
        response.end();
      },
      (response) => refuse(response, 503, 'UNAVAILABLE', 'Later.'),
      (response) => refuse(response, 429, 'RATE_LIMITED', 'Too many streams.'),
      (response, { socket }) => {
        // In the middle of an event.
        stream(response, sent(event(11)), sent(event(12)).slice(0, 60));
        setImmediate(() => socket.destroy());
      },
      (response) => {
        stream(response, sent(event(12)), 'event: too_slow\ndata: {"after":12}\n\n');
        response.end();
      },
      (response) => stream(response, sent(event(13))),
    );
    const running = tail(url, '--json');
    const seqs = [await running.next(), await running.next(), await running.next()].map((line) => JSON.parse(line).seq);
    expect(seqs).toEqual([11, 12, 13]);
    expect(await running.end()).toBe(0);
    expect(asked.map(({ searchParams }) => searchParams.get('after'))).toEqual([null, '10', '10', '10', '11', '12']);
    expect((await running.stderr).trim().split('\n').at(-1)).toBe('The connection broke; resuming after 12.');
  });

  test('a log that no longer goes back so far ends it, with the words of the service', async () => {
    const { url } = await gateway((response) =>
      refuse(response, 410, 'CURSOR_EXPIRED', 'The log begins at 900: go on with after=899'),
    );
    const running = tail(url, '--after', '5');
    expect(await running.exitCode()).toBe(1);
    expect(await running.stderr).toBe(
      'error: The log begins at 900: go on with after=899. (CURSOR_EXPIRED, request r)\n',
    );
  });

  test('so does a key that is revoked meanwhile', async () => {
    const { url } = await gateway(
      (response) => {
        stream(response, sent(event(1)));
        response.end();
      },
      (response) => refuse(response, 401, 'API_KEY_INVALID', 'The key is revoked.'),
    );
    const running = tail(url);
    expect(await running.next()).toMatch(/^1 /);
    expect(await running.exitCode()).toBe(1);
    expect(await running.stderr).toMatch('API_KEY_INVALID');
  });

  test('what strangers wrote is no command to the terminal', async () => {
    const { url } = await gateway((response) =>
      stream(response, sent(event(1, { data: { title: '\u001b[2J\u202e\u009b1m' } }))),
    );
    const running = tail(url);
    expect(await running.next()).toContain('title="\\u001b[2J\\u202e\\u009b1m"');
  });

  test('ends with 3 where nobody answers, and with 2 where the seq is none', async () => {
    expect(await tail('http://127.0.0.1:1').exitCode()).toBe(3);
    expect(await tail('http://127.0.0.1:1', '--after', 'now').exitCode()).toBe(2);
  });
});
