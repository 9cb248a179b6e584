import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { allOperations } from '@worktrack/contracts/catalogue';
import type { Operation } from '@worktrack/contracts/operation';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { rawExchange } from '../support/raw-exchange.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { sampleInput } from './sample-input.ts';
import { sendEverywhere } from './send.ts';

let system: System;
let organization: TestOrganization;
/** Anyone who reaches beyond the text of a query finds it: it is in the only item that there is. */
const CANARY = `canary-${randomUUID()}`;

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  const { call, boardId, columns } = organization;
  const item = { title: CANARY, description: CANARY, type: 'task', boardId, boardColumnId: columns.Backlog };
  expect((await call('POST', '/api/work-items', item)).status).toBe(201);
});

/** As a program that parses JSON gets it: a property of its own, not the prototype. */
const own = (json: string): unknown => JSON.parse(json);

/** Each with whether the service may accept it as text. */
const HOSTILE: readonly [what: string, value: unknown, isText: boolean][] = [
  ['a query operator', { $ne: null }, false],
  ['an operator that runs code', { $where: 'sleep(5000) || true' }, false],
  ['an operator in a list', [{ $gt: '' }], false],
  ['a prototype', own('{"__proto__":{"polluted":true}}'), false],
  ['the prototype of a constructor', own('{"constructor":{"prototype":{"polluted":true}}}'), false],
  ['a regular expression that backtracks', `${'(a+)+'.repeat(8)}$`, true],
  ['a path out of any folder', '../../../../etc/passwd', true],
  ['a path that is encoded twice', '..%252f..%252fetc%252fpasswd', true],
  ['a null byte', 'x\u0000.txt', true],
  ['the end of a header', 'x\r\nX-Injected: yes\r\n\r\nHTTP/1.1 200 OK', true],
];

function fieldsOf(operation: Operation): string[] {
  return Object.keys((operation.input as unknown as { readonly shape: object }).shape);
}

const targets = allOperations().filter(
  (operation) => (operation.rest ?? operation.mcp) && operation.bytes === undefined,
);

describe('no hostile value in any field of any operation runs, leaks or causes an internal error', () => {
  test.each(targets.map((operation) => [operation.name, operation] as const))('%s', async (_name, operation) => {
    for (const field of fieldsOf(operation)) {
      // What is not so for any value is not so for a hostile one either: those who may read the items get them.
      const lists = field.endsWith('Not');
      await Promise.all(
        HOSTILE.map(async ([what, value, isText]) => {
          const input = { ...sampleInput(operation, () => randomUUID()), [field]: value };
          for (const outcome of await sendEverywhere(operation, input, system.baseUrl, organization.apiKey)) {
            const seen = { via: outcome.via, field, what, text: outcome.text.slice(0, 300) };
            const failed = outcome.status >= 500 || ['INTERNAL', 'UNAVAILABLE'].includes(outcome.code ?? '');
            const leaked = !isText && !lists && outcome.text.includes(CANARY);
            expect({ ...seen, failed, leaked }).toEqual({ ...seen, failed: false, leaked: false });
            expect(outcome.text).not.toMatch(/root:x:0|node_modules|MongoServerError/);
          }
        }),
      );
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  const paged = targets.filter((operation) => fieldsOf(operation).includes('cursor'));
  test.each(paged.map((operation) => [operation.name, operation] as const))('any cursor: %s', async (_, operation) => {
    const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom('{}', 'null', '[]', '[1,{},{}]'));
    const encoded = text.map((it) => Buffer.from(it).toString('base64url'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, encoded), async (cursor) => {
        const input = { ...sampleInput(operation, () => randomUUID()), cursor };
        const outcomes = await sendEverywhere(operation, input, system.baseUrl, organization.apiKey);
        expect(outcomes.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
        expect(outcomes.map(({ code }) => code)).not.toContain('INTERNAL');
      }),
      { numRuns: 30 },
    );
  });

  test('and everything is as it was', async () => {
    const { data } = await organization.call<{ workItems: { title: string }[] }>(
      'GET',
      `/api/work-items?search=${CANARY}`,
    );
    expect(data.workItems.map(({ title }) => title)).toEqual([CANARY]);
  });
});

describe('a path leads only to a route', () => {
  test.each([
    '/../../../../etc/passwd',
    '/api/..%2f..%2f..%2fetc%2fpasswd',
    '/widget/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/widget/%2e%2e/%2e%2e/package.json',
    '/docs/..%5c..%5cpackage.json',
    '/docs/../../package.json',
    '/api/work-items/x/attachments/local?key=../../../../etc/passwd',
  ])('%s', async (path) => {
    // Not with fetch, which would normalize the path before sending it.
    const answer = await exchange(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${organization.apiKey}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (400|404) /);
    expect(answer).not.toMatch(/root:x:0|"dependencies"/);
  });
});

describe('what a client sends never becomes a header or a second answer', () => {
  test.each(['x-request-id', 'idempotency-key', 'origin', 'traceparent', 'if-match'])('%s', async (name) => {
    const answer = await exchange(
      `GET /api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${organization.apiKey}\r\n${name}: a%0d%0aX-Injected: yes\r\nConnection: close\r\n\r\n`,
    );
    const head = answer.slice(0, answer.indexOf('\r\n\r\n'));
    expect(head.split('\r\n').filter((line) => /^x-injected/i.test(line))).toEqual([]);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

describe('too much is refused before it costs anything', () => {
  const headers = () => `Host: x\r\nAuthorization: Bearer ${organization.apiKey}\r\nConnection: close\r\n`;

  test('headers without end', async () => {
    const many = Array.from({ length: 5_000 }, (_, number) => `X-${number}: 1\r\n`).join('');
    expect(await exchange(`GET /api/me HTTP/1.1\r\n${headers()}${many}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ['/api/work-items', 100_000],
    ['/api/api-keys', 100_000],
    ['/mcp', 100_000],
    // As many as fit into what the public may send.
    ['/feedback/ingest', 10_000],
  ])('a body of more than 1 MiB, and one with very many levels: %s', async (path, levels) => {
    const post = (body: string) =>
      fetch(`${system.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json' },
        body,
      });
    expect((await post(JSON.stringify({ title: 'x'.repeat(1024 * 1024) }))).status).toBe(413);
    const deep = await post(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    expect(deep.status).toBe(400);
  });
});

describe('clients that send a byte now and then', () => {
  const sockets: Socket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  test('hold up nobody else', async () => {
    const { hostname, port } = new URL(system.baseUrl);
    const begin = (text: string) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write(text, () => resolve()));
        socket.once('error', reject);
        sockets.push(socket);
      });
    const half = [
      'GET /api/me HTTP/1.1\r\nHost: x\r\nX-Sl',
      `POST /api/work-items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${organization.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"ti`,
    ];
    await Promise.all(Array.from({ length: 400 }, (_, number) => begin(half[number % 2] as string)));
    const me = caller(system.baseUrl, organization.apiKey);
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await me('GET', '/api/me')).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

/** What comes back until the connection closes, which it must. */
const exchange = (text: string) => rawExchange(system.baseUrl, text);
