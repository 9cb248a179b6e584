import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { CLIENT_KINDS, connectMcp, refusalOf } from './connect.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

interface PostOptions {
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly key?: string;
}
const TOOLS_LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

function post(message: unknown, { query = '', headers = {}, key = organization.apiKey }: PostOptions = {}) {
  return fetch(`${system.baseUrl}/mcp${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}
const failure = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { success: false; error: { code: string; message: string; requestId: string } }),
});

describe('what is wrong with a key before the protocol begins is a JSON-RPC error, which clients show', () => {
  test.each([
    ['no key', '', 'API_KEY_MISSING', /Send an API key in the header/],
    ['a wrong key', 'wt_wrong', 'API_KEY_INVALID', /unknown, malformed, revoked or expired/],
  ])('%s: 401 with a challenge, in the words of REST', async (_, key, code, words) => {
    const response = await post(TOOLS_LIST, { key });
    expect(response.status).toBe(401);
    const challenge = response.headers.get('www-authenticate');
    const byRest = await failure(
      await fetch(`${system.baseUrl}/api/me`, { headers: { authorization: `Bearer ${key}` } }),
    );
    expect(byRest.error.message).toMatch(words);
    const error = code === 'API_KEY_INVALID' ? 'error="invalid_token", ' : '';
    expect(challenge).toBe(`Bearer realm="worktrack", ${error}error_description="${byRest.error.message}"`);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: expect.any(Number),
        message: byRest.error.message,
        data: { code, requestId: response.headers.get('x-request-id') },
      },
    });
  });

  test.each(CLIENT_KINDS)('%s shows it', async (kind) => {
    // What happens to them when they connect, those that negotiate a version judge by its status alone.
    const { data } = await organization.call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'MCP' });
    const client = await connectMcp(kind, system.baseUrl, data.key);
    await organization.call('DELETE', `/api/api-keys/${data.id}`);
    await expect(client.tools()).rejects.toThrow(
      /The API key is unknown, malformed, revoked or expired\..*API_KEY_INVALID/s,
    );
    await client.close();
  });
});

describe('what is refused before the protocol begins uses the envelope of REST', () => {
  test.each(['GET', 'DELETE', 'PUT'])('%s: 405 with Allow: POST', async (method) => {
    const response = await fetch(`${system.baseUrl}/mcp`, {
      method,
      headers: { authorization: `Bearer ${organization.apiKey}`, accept: 'text/event-stream' },
    });
    expect(response.headers.get('allow')).toBe('POST');
    expect(await failure(response)).toMatchObject({ status: 405, error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  test.each(['https://evil.example', 'http://localhost.evil.example', 'null'])(
    'a page of %s: 403 that names the origin',
    async (origin) => {
      expect(await failure(await post(TOOLS_LIST, { headers: { origin } }))).toMatchObject({
        status: 403,
        error: { code: 'ORIGIN_NOT_ALLOWED', message: expect.stringContaining(origin) },
      });
    },
  );

  test('a page on this machine may, while the gateway runs on it', async () => {
    expect((await post(TOOLS_LIST, { headers: { origin: 'http://localhost:6274' } })).status).toBe(200);
  });

  test.each(['not-a-uuid', '', `${randomUUID()}x`])('projectId=%s: 400', async (projectId) => {
    expect(await failure(await post(TOOLS_LIST, { query: `?projectId=${projectId}` }))).toMatchObject({
      status: 400,
      error: {
        code: 'VALIDATION_FAILED',
        details: [{ path: 'projectId', message: expect.stringMatching(/^must be a UUID; .*GET .api.projects/) }],
      },
    });
  });

  test('no body: 400 that says what to send', async () => {
    expect(await failure(await post(''))).toMatchObject({
      status: 400,
      error: { code: 'VALIDATION_FAILED', message: 'The body is empty: send a JSON-RPC message.' },
    });
  });

  test('projectId twice: 400 that says so', async () => {
    const { error } = await failure(await post(TOOLS_LIST, { query: '?projectId=a&projectId=b' }));
    expect(error.message).toBe('projectId: is given 2 times; give it once.');
  });

  test('a misspelt projectId: 400 that suggests the right one', async () => {
    const { error } = await failure(await post(TOOLS_LIST, { query: `?project_id=${organization.projectId}` }));
    expect(error.message).toContain('projectId');
  });

  test('a project of another organization: 404, like one that does not exist', async () => {
    const stranger = await system.newOrganization();
    for (const projectId of [stranger.projectId, randomUUID()]) {
      expect(await failure(await post(TOOLS_LIST, { query: `?projectId=${projectId}` }))).toMatchObject({
        status: 404,
        error: {
          code: 'NOT_FOUND',
          message: expect.stringMatching(
            /^projectId in the URL is not a project in your organization\. .*GET \/api\/projects/,
          ),
        },
      });
    }
  });

  test.each([
    ['a body that is no JSON', '{', {}, 400, 'VALIDATION_FAILED'],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body over 1 MiB', JSON.stringify({ x: 'x'.repeat(1_048_576) }), {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('%s', async (_, body, headers, status, code) => {
    expect(await failure(await post(body, { headers }))).toMatchObject({ status, error: { code } });
  });

  test.each([
    'oauth-protected-resource',
    'oauth-protected-resource/mcp',
    'oauth-authorization-server',
    'openid-configuration',
  ])('/.well-known/%s is a real 404', async (name) => {
    expect(await failure(await fetch(`${system.baseUrl}/.well-known/${name}`))).toMatchObject({ status: 404 });
  });
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('the protocol', () => {
  test.each(['*/*', 'application/json', 'Application/*;q=0.9'])('answers a client that accepts %s', async (accept) => {
    const response = await post(TOOLS_LIST, { headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  test('needs no session: any request is answered on its own, whatever session it names', async () => {
    const sessions: Record<string, string>[] = [{}, { 'mcp-session-id': 'of another server' }];
    for (const headers of sessions) {
      const response = await post(TOOLS_LIST, { headers });
      expect(response.headers.get('mcp-session-id')).toBeNull();
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: expect.any(Array) } });
    }
  });

  test('tools/list is one page, the same each time', async () => {
    const [one, other] = await Promise.all([post(TOOLS_LIST), post(TOOLS_LIST)]);
    const text = await one.text();
    expect(await other.text()).toBe(text);
    expect(JSON.parse(text).result.nextCursor).toBeUndefined();
  });

  test('a cursor that nobody gave is refused, not answered with the first page once more', async () => {
    const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'made-up' } });
    expect(await response.json()).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining('cursor') },
    });
  });

  test.each([[null], [[]], ['text'], [7]])(
    'arguments of a tool that are %j are refused by the tool, in its form',
    async (args) => {
      const message = (params: object) => ({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'list_projects', arguments: args, ...params },
      });
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_projects' };
      for (const response of [
        await post(message({})),
        await post([message({})]),
        await post(message({ _meta: MODERN }), { headers }),
      ]) {
        // A batch is answered by a list.
        const [{ result }] = [await response.json()].flat() as [
          { result: { isError?: boolean; content: { text: string }[] } },
        ];
        expect({ status: response.status, isError: result.isError }).toEqual({ status: 200, isError: true });
        expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({
          error: {
            code: 'VALIDATION_FAILED',
            message: 'arguments: must be an object, whose fields are the parameters of the tool; without any, {}.',
            details: [{ path: 'arguments' }],
          },
        });
      }
    },
  );

  test('a notification is accepted and not answered', async () => {
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  test.each([
    ['an unknown method', { jsonrpc: '2.0', id: 7, method: 'tools/unknown' }, 7, -32601],
    ['no JSON-RPC', { hello: 'world' }, null, -32600],
  ])('%s is a JSON-RPC error', async (_, message, id, code) => {
    expect(await (await post(message)).json()).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
  });

  test.each([
    ['initialize', {}, /params\.protocolVersion: .*string.*; params\.capabilities: .*object.*; params\.clientInfo: /],
    ['tools/list', { cursor: 5 }, /params\.cursor: .*expected string, received number/],
    ['tools/call', { arguments: {} }, /params\.name: .*expected string, received undefined/],
    ['resources/read', {}, /params\.uri: .*expected string, received undefined/],
  ])('parameters that %s does not take are its caller’s mistake, and named', async (method, params, words) => {
    const response = await post({ jsonrpc: '2.0', id: 7, method, params });
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32602, message: expect.stringMatching(words) },
    });
  });

  test('two requests with one id in a batch are both answered, in their order', async () => {
    const response = await post([
      { jsonrpc: '2.0', id: 7, method: 'ping' },
      { jsonrpc: '2.0', id: 7, method: 'tools/list' },
      { jsonrpc: '2.0', id: 'seven', method: 'ping' },
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: 7, result: {} },
      { id: 7, result: { tools: expect.any(Array) } },
      { id: 'seven', result: {} },
    ]);
  });

  test('a batch is answered by a list, also when one answer is all', async () => {
    const response = await post([
      { jsonrpc: '2.0', id: 7, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]);
    expect(await response.json()).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
  });

  test('there is nothing to subscribe to, and no stream is held open', async () => {
    const response = await post(
      { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {}, _meta: MODERN } },
      { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' } },
    );
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } });
  });
});

describe('a key without write permission', () => {
  const readerKey = async () => {
    const permissions = ['projects:read', 'work-items:read'];
    const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'reader', permissions });
    return data.key;
  };

  test('is not shown the write tools, and is refused if it calls one', async () => {
    const client = await connectMcp(
      'client 2.x, 2026-07-28',
      system.baseUrl,
      await readerKey(),
      organization.projectId,
    );
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toContain('list_work_items');
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(refusalOf(await client.call('create_task', { title: 'x' }))).toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('work-items:write'),
    });
    await client.close();
  });

  test('needs no permission on projects to work in a project’s session', async () => {
    const permissions = ['work-items:read'];
    const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'narrow', permissions });
    const client = await connectMcp('client 2.x, 2026-07-28', system.baseUrl, data.key, organization.projectId);
    expect((await client.call('list_work_items')).isError ?? false).toBe(false);
    await client.close();
  });
});

test('a field that only REST accepts is an unknown argument of the tool', async () => {
  const client = await connectMcp('sdk 1.x', system.baseUrl, organization.apiKey, organization.projectId);
  const refusal = refusalOf(
    await client.call('move_work_item', { workItemId: 'W-T-1', boardColumnId: randomUUID(), position: 'first' }),
  );
  expect(refusal.details).toMatchObject([{ path: 'position' }]);
  expect(refusal.message).not.toMatch(/known fields are .*position|mean position/);
  const misspelt = refusalOf(await client.call('move_work_item', { workItemid: 'W-T-1' }));
  expect(misspelt.message).toMatch(
    /^workItemId: is required .*; workItemid: is not a known field; did you mean workItemId\?$/,
  );
  expect(misspelt.details).toEqual([{ path: 'workItemId' }, { path: 'boardColumnId' }, { path: 'workItemid' }]);
  await client.close();
});

test('the project of the session narrows the list, and another session does not see its items', async () => {
  const second = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Second' });
  const here = await connectMcp('sdk 1.x', system.baseUrl, organization.apiKey, organization.projectId);
  const there = await connectMcp('sdk 1.x', system.baseUrl, organization.apiKey, second.data.id);
  const title = `Here ${randomUUID()}`;
  await here.call('create_task', { title });
  expect((await here.call('list_work_items', { search: title })).structuredContent?.workItems).toHaveLength(1);
  expect((await there.call('list_work_items', { search: title })).structuredContent?.workItems).toHaveLength(0);
  await Promise.all([here.close(), there.close()]);
});

test('one thing has one name in all tools; the names of earlier versions are taken, and an error uses the one that was given', async () => {
  const client = await connectMcp('sdk 1.x', system.baseUrl, organization.apiKey, organization.projectId);
  const { structuredContent: item } = await client.call('create_task', { title: 'Named' });
  const { id } = item as { id: string };
  const byName = await client.call('get_work_item', { workItemId: id });
  expect((await client.call('get_work_item', { id })).structuredContent).toEqual(byName.structuredContent);
  expect((await client.call('get_review_context', { taskId: id })).isError ?? false).toBe(false);
  const wrong = refusalOf(await client.call('get_work_item', { workItemId: 'x' }));
  expect(wrong.message).toMatch(/^workItemId: must be a UUID or a task ID/);
  expect(wrong.details).toEqual([{ path: 'workItemId' }]);
  const earlier = refusalOf(await client.call('get_work_item', { id: 'x' }));
  expect(earlier).toEqual({ ...wrong, message: wrong.message.replace('workItemId', 'id'), details: [{ path: 'id' }] });
  const inside = refusalOf(await client.call('resolve_work_items', { ids: [7], limt: 1 }));
  expect(inside.message).toMatch(/^ids\.0: must be a string.*; limt: is not a known field/);
  expect(inside.details).toEqual([{ path: 'ids.0' }, { path: 'limt' }]);
  expect(refusalOf(await client.call('get_work_item', {})).message).toMatch(/^workItemId: is required/);
  const unsaid = await client.call('record_ai_session', { model: 'gpt-5', totalTokens: 1 });
  expect(refusalOf(unsaid).message).toBe('workItemId: is required (string).');
  expect((await client.call('get_work_item', { id, workItemId: id })).structuredContent).toEqual(
    byName.structuredContent,
  );
  const { id: other } = (await client.call('create_task', { title: 'Other' })).structuredContent as { id: string };
  expect(refusalOf(await client.call('get_work_item', { id: other, workItemId: id })).code).toBe('VALIDATION_FAILED');
  await client.close();
});
