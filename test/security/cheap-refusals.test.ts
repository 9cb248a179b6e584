import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

const MEBIBYTE = 1_048_576;
const PUBLIC_LIMIT = 65_536;

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

type Refusal = Pick<Answer, 'status' | 'error'>;

async function post(path: string, body: string): Promise<Refusal> {
  const response = await fetch(`${system.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, ...((await response.json()) as { error: Answer['error'] }) };
}

const keys = (count: number, nameOf: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => `"${nameOf(number)}":1`).join(',');

/** Each nearly a mebibyte, which is the limit for a body. */
const ATTACKS: readonly [what: string, body: string, faults: number][] = [
  ['90 000 unknown fields', `{${keys(90_000, (number) => `u${number}`)}}`, 20],
  ['80 000 keys and __proto__', `{${keys(80_000, (number) => `u${number}`)},"__proto__":1}`, 1],
  ['90 000 $ keys in metadata', `{"title":"x","metadata":{${keys(90_000, (number) => `$${number}`)}}}`, 20],
  ['1 MiB of [', '['.repeat(MEBIBYTE), 1],
  ['metadata nested without end', `{"metadata":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, 1],
  ['a type of 1 MiB', `{"type":"${'story'.repeat(200_000)}"}`, 1],
];

describe('a body that is made to be costly is refused with at most the first 20 faults', () => {
  test.each(ATTACKS)('over REST: %s', async (_, body, faults) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MEBIBYTE);
    const { status, error } = await post('/api/work-items', body);
    expect({ status, code: error.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
    expect(error.details?.length).toBeGreaterThanOrEqual(faults);
    expect(error.details?.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(error).length).toBeLessThan(20_000);
    if (faults === 20) expect(error.message).toMatch(/and more than 17 more/);
  });

  test('as arguments of a tool', async () => {
    const args = JSON.parse(`{"title":"x","metadata":{${keys(85_000, (number) => `$${number}`)}}}`);
    const { error } = await callTool(system.baseUrl, organization.apiKey, 'create_task', args);
    expect(error?.message).toMatch(/and more than 17 more, see details for the first 20/);
  });

  test.each(['_bsontype', 'toBSON'])(
    'metadata with a key that the database treats as its own, wherever metadata is accepted: %s',
    async (name) => {
      const { boardId, columns, apiKey, call } = organization;
      const metadata = { a: { [name]: 'ObjectId' } };
      const item = { title: 'x', type: 'task', boardId, boardColumnId: columns.Backlog };
      const made = await call<{ id: string }>('POST', '/api/work-items', item);
      const form = new FormData();
      form.append('metadata', JSON.stringify(metadata));
      form.append('file', new Blob(['x']), 'x.txt');
      const attached = await fetch(`${system.baseUrl}/api/work-items/${made.data.id}/attachments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
        body: form,
      });
      const refusals: Refusal[] = [
        await call('POST', '/api/work-items', { ...item, metadata }),
        await call('PATCH', `/api/work-items/${made.data.id}`, { metadata }),
        { status: attached.status, ...((await attached.json()) as { error: Answer['error'] }) },
      ];
      for (const { status, error } of refusals) {
        expect(status).toBe(400);
        expect(error.details).toEqual([{ path: `metadata.a.${name}`, message: `must not be named ${name}` }]);
      }
      const byTool = await callTool(system.baseUrl, apiKey, 'update_work_item', { id: made.data.id, metadata });
      expect(byTool.error?.message).toContain(`metadata.a.${name}: must not be named ${name}`);
    },
  );

  /** What drivers and mappers, and JavaScript itself, look for in an object. */
  test.each([
    '_id',
    '_doc',
    '__v',
    'id',
    'constructor',
    'toObject',
    'toJSON',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'length',
    'then',
    'get',
    'set',
    'map',
    'prototype',
    'schema',
    'collection',
    'errors',
    'isNew',
    'save',
    'buffer',
    'sub_type',
    'value',
    'high',
    'low',
    'code',
    'scope',
    'oid',
    'inspect',
    'equals',
    '__index',
    '__parentArray',
    'isMongooseObject',
    'isModel',
    'isMongooseMap',
    'isMongooseBuffer',
    'isMongooseArrayProxy',
    'isMongooseDocumentArrayProxy',
  ])('and any other name is kept as it is: %s', async (name) => {
    const { boardId, columns, call } = organization;
    for (const value of ['ObjectId', { name: 'Date' }, { name: 'RegExp' }, true, [1], null]) {
      const metadata = { a: { [name]: value, b: [{ [name]: value }] }, [name]: value };
      const item = { title: 'x', type: 'task', boardId, boardColumnId: columns.Backlog, metadata };
      const made = await call<{ id: string }>('POST', '/api/work-items', item);
      expect({ value, status: made.status }).toEqual({ value, status: 201 });
      const changed = await call('PATCH', `/api/work-items/${made.data.id}`, { metadata: { c: metadata } });
      expect({ value, status: changed.status }).toEqual({ value, status: 200 });
      const { data } = await call<{ metadata: { c: unknown } }>('GET', `/api/work-items/${made.data.id}`);
      if (value !== null) expect(data.metadata.c).toEqual(metadata);
    }
  });
});

describe('an MCP message that the protocol would take long to refuse is refused before it gets there', () => {
  const message = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  test.each([
    ['80 000 arguments', message(`{"name":"create_task","arguments":{${keys(80_000, (number) => `u${number}`)}}}`)],
    ['80 000 parameters', message(`{${keys(80_000, (number) => `u${number}`)}}`)],
    ['parameters nested without end', message(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)],
    ['101 messages', `[${Array(101).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join(',')}]`],
  ])('%s', async (_, body) => {
    const { status, error } = await post('/mcp', body);
    expect({ status, code: error.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
    expect(error.message).toMatch(/must have at most \d+ (fields|messages)/);
  });

  test('and what a tool accepts is not', async () => {
    const args = JSON.parse(`{"title":"x","metadata":{${keys(20_000, (number) => `u${number}`)}}}`);
    const response = await post(
      `/mcp?projectId=${organization.projectId}`,
      message(JSON.stringify({ name: 'create_task', arguments: args })),
    );
    expect(response.status).toBe(200);
  });
});

describe('a client without a key', () => {
  const submission = (bytes: number) => {
    const around = JSON.stringify({ publicKey: '', token: 'x', message: 'x' }).length;
    return JSON.stringify({ publicKey: 'p'.repeat(bytes - around), token: 'x', message: 'x' });
  };

  test('sends 64 KiB at most, and is told the limit', async () => {
    expect((await post('/feedback/ingest', submission(PUBLIC_LIMIT))).status).toBe(400);
    const { status, error } = await post('/feedback/ingest', submission(PUBLIC_LIMIT + 1));
    expect({ status, code: error.code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(error.message).toContain(String(PUBLIC_LIMIT));
  });

  test('has nothing parsed at a path that does not exist, or with a method that a path does not have', async () => {
    // A body that is not JSON would be 400 as soon as somebody looked at it.
    expect((await post(`/feedback/${randomUUID()}`, '{')).status).toBe(404);
    expect((await post(`/${randomUUID()}`, '{')).status).toBe(404);
    expect((await post('/health/live', '{')).status).toBe(405);
  });
});
