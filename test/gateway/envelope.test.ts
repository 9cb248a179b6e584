import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

const request = (path: string, init: RequestInit = {}) => fetch(`${system.baseUrl}${path}`, init);
const withKey = (headers: Record<string, string> = {}) => ({
  authorization: `Bearer ${organization.apiKey}`,
  ...headers,
});
async function failure(response: Response) {
  const body = (await response.json()) as { success: boolean; error: Record<string, unknown> };
  expect(body.success).toBe(false);
  expect(body.error.requestId).toBe(response.headers.get('x-request-id'));
  return { status: response.status, ...body.error } as {
    status: number;
    code: string;
    message: string;
    details?: { path: string; message: string }[];
  };
}

describe('success', () => {
  test('what creates answers 201, everything else 200, in the envelope', async () => {
    const created = await organization.call('POST', '/api/projects', { name: 'Another' });
    expect(created).toMatchObject({ status: 201, success: true, data: { name: 'Another' } });
    const read = await organization.call('GET', `/api/projects/${created.data.id}`);
    expect(read).toMatchObject({ status: 200, success: true, data: created.data });
  });

  test('a short list is an array; a long one has pagination next to the list', async () => {
    expect((await organization.call('GET', '/api/api-keys')).data).toBeInstanceOf(Array);
    expect((await organization.call('GET', '/api/projects?limit=1')).data).toMatchObject({
      projects: [{}],
      pagination: { page: 1, limit: 1 },
    });
  });

  test('a long answer is compressed for whoever accepts that, a short one never', async () => {
    const { id } = (await organization.call('POST', '/api/projects', { name: 'Long', description: 'x'.repeat(9_000) }))
      .data;
    const encodings: (string | null)[] = [];
    for (const accepted of ['gzip, deflate, br, zstd', 'gzip', 'identity']) {
      const answer = await request(`/api/projects/${id}`, { headers: withKey({ 'accept-encoding': accepted }) });
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(await answer.json()).toMatchObject({ data: { name: 'Long' } });
      encodings.push(answer.headers.get('content-encoding'));
    }
    const short = await request('/api/me', { headers: withKey() });
    expect([...encodings, short.headers.get('content-encoding')]).toEqual(['br', 'gzip', null, null]);
  });

  test('a trailing slash in a path means nothing', async () => {
    expect((await organization.call('GET', '/api/projects/?limit=1')).data).toEqual(
      (await organization.call('GET', '/api/projects?limit=1')).data,
    );
    expect((await organization.call('GET', '/api/work-items/?limit=1')).data).toMatchObject({
      pagination: { limit: 1 },
    });
    const misspelt = await organization.call('GET', '/api/work-items/?limits=1');
    expect(misspelt.error.details).toEqual([{ path: 'limits', message: 'is not a known field; did you mean limit?' }]);
  });

  test('HEAD answers like GET without the body, OPTIONS with what a path accepts', async () => {
    const head = await request('/api/me', { method: 'HEAD', headers: withKey() });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await head.text()).toBe('');
    const options = await request('/api/projects', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST']);
  });

  test('answers must not be cached or sniffed', async () => {
    const { headers } = await request('/api/me', { headers: withKey() });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('X-Request-Id', () => {
  test('is that of the request', async () => {
    const response = await request('/api/me', { headers: withKey({ 'x-request-id': 'my-trace_1.2' }) });
    expect(response.headers.get('x-request-id')).toBe('my-trace_1.2');
  });

  test.each([
    ['there is none', undefined],
    ['it is too long to repeat', 'x'.repeat(200)],
    ['it holds spaces', 'a b'],
  ])('is a new one when %s', async (_, given) => {
    const response = await request('/nowhere', given === undefined ? {} : { headers: { 'x-request-id': given } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('refusals have one shape, and say what to do', () => {
  test('no key: 401 with a challenge', async () => {
    const response = await request('/api/me');
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="worktrack"');
    expect(await failure(response)).toMatchObject({ status: 401, code: 'API_KEY_MISSING' });
  });

  test.each([
    ['malformed', 'wt_nope'],
    ['of another scheme', undefined],
  ])('a key that is %s: 401 with a challenge', async (_, key) => {
    const authorization = key ? `Bearer ${key}` : `Basic ${btoa('a:b')}`;
    const response = await request('/api/me', { headers: { authorization } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="worktrack"');
    expect((await failure(response)).status).toBe(401);
  });

  test('an unknown path: 404', async () => {
    expect(await failure(await request('/api/nothing', { headers: withKey() }))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
  });

  test('a malformed path: 400, not 500', async () => {
    expect(await failure(await request('/api/projects/%E0%A4%A', { headers: withKey() }))).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
    });
  });

  test('a path with a part longer than any id: 400 that says so', async () => {
    const response = await request(`/api/work-items/${'x'.repeat(101)}`, { headers: withKey() });
    expect(await failure(response)).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      message: 'A part of the path has more than 100 characters, as no id has: check the id in it.',
    });
  });

  test.each([
    ['PUT', '/api/projects', 'GET, HEAD, POST'],
    ['DELETE', '/api/me', 'GET, HEAD'],
    ['GET', '/api/work-items/batch-move', 'POST'],
  ])('%s %s: 405 with what the path accepts', async (method, path, allow) => {
    const response = await request(path, { method, headers: withKey() });
    expect(response.headers.get('allow')).toBe(allow);
    expect(await failure(response)).toMatchObject({
      ...{ status: 405, code: 'METHOD_NOT_ALLOWED' },
      message: `Use ${allow}; ${method} is not supported here.`,
    });
  });

  const post = (body: string, type = 'application/json') =>
    request('/api/projects', { method: 'POST', headers: withKey({ 'content-type': type }), body });

  test('a body over 1 MiB: 413', async () => {
    expect(await failure(await post(JSON.stringify({ name: 'x'.repeat(1_048_576) })))).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('1048576 bytes'),
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a body of type %s: 415',
    async (type) => {
      expect(await failure(await post('{"name":"x"}', type))).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: expect.stringContaining('application/json'),
      });
    },
  );

  test.each([
    ['no JSON', '{"name":', 'must be valid JSON'],
    ['a list', '[1]', 'the body must be a JSON object'],
    ['a text', '"x"', 'the body must be a JSON object'],
  ])('a body that is %s: 400', async (_, body, message) => {
    const error = await failure(await post(body));
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', details: [{ path: '', message }] });
  });

  test.each([
    ['{"name":"x","__proto__":{"isAdmin":true}}', '__proto__'],
    ['{"name":"x","techStack":[{"constructor":{"prototype":{"a":1}}}]}', 'techStack.0.constructor'],
  ])('a body with a prototype-poisoning key: 400 with its path', async (body, path) => {
    expect(await failure(await post(body))).toMatchObject({ status: 400, details: [{ path }] });
  });

  test('a missing, an unknown and a wrong field: each with its path', async () => {
    const error = await failure(await post('{"nmae":"x","techStack":"ts"}'));
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(Object.fromEntries((error.details ?? []).map(({ path, message }) => [path, message]))).toEqual({
      name: 'is required (string)',
      nmae: 'is not a known field; did you mean name?',
      techStack: 'must be an array, not a string',
    });
  });

  test('a number over its maximum: 400 that names the maximum', async () => {
    const error = await failure(await request('/api/work-items?limit=101', { headers: withKey() }));
    expect(error).toMatchObject({ status: 400, details: [{ path: 'limit', message: 'must be at most 100' }] });
    expect(error.message).toContain('100');
  });

  test('an unknown query field: 400 with the one that was meant', async () => {
    const error = await failure(await request('/api/work-items?projectid=x', { headers: withKey() }));
    expect(error.details).toEqual([{ path: 'projectid', message: 'is not a known field; did you mean projectId?' }]);
  });

  test('a missing permission: 403 that names it', async () => {
    const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', {
      name: 'reader',
      permissions: ['projects:read'],
    });
    const response = await request('/api/projects', {
      method: 'POST',
      headers: { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' },
      body: '{"name":"x"}',
    });
    expect(await failure(response)).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('projects:write'),
    });
  });

  test('another organization’s record: 404, like one that does not exist', async () => {
    const stranger = await system.newOrganization();
    const foreign = await organization.call('GET', `/api/projects/${stranger.projectId}`);
    const nowhere = '0198c0de-0000-7000-8000-000000000000';
    const absent = await organization.call('GET', `/api/projects/${nowhere}`);
    expect(foreign.status).toBe(404);
    expect(foreign.error.message.replace(stranger.projectId, nowhere)).toBe(absent.error.message);
    expect(foreign.error.code).toBe(absent.error.code);
  });
});

test('an empty body with a content type is no body', async () => {
  const response = await request('/api/projects', {
    method: 'POST',
    headers: withKey({ 'content-type': 'application/json' }),
  });
  expect((await failure(response)).details).toEqual([{ path: 'name', message: 'is required (string)' }]);
});

describe('a body', () => {
  const post = (body: Uint8Array<ArrayBuffer>, extra: Record<string, string> = {}) =>
    request('/api/projects', {
      method: 'POST',
      headers: withKey({ 'content-type': 'application/json', ...extra }),
      body,
    });

  test('may begin with a byte order mark', async () => {
    const response = await post(Buffer.from('\ufeff{"name":"Marked"}'));
    expect(response.status).toBe(201);
  });

  test('that is not UTF-8 is refused, not stored with replacement characters', async () => {
    const response = await post(Buffer.from('{"name":"Caf\xe9"}', 'latin1'));
    expect(response.status).toBe(400);
    expect(await failure(response)).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('UTF-8'),
    });
  });

  test('that is compressed is refused, with what is accepted', async () => {
    const response = await post(gzipSync('{"name":"Small"}'), { 'content-encoding': 'gzip' });
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await failure(response)).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: expect.stringContaining('Content-Encoding'),
    });
    const plain = await post(Buffer.from('{"name":"Plain"}'), { 'content-encoding': 'Identity' });
    expect(plain.status).toBe(201);
  });
});

describe('If-Match', () => {
  test('a stale version is refused with the record as it is, the current one is accepted', async () => {
    const created = await organization.call<{ id: string; version: number }>('POST', '/api/work-items', {
      title: 'Versioned',
      type: 'task',
      boardId: organization.boardId,
      boardColumnId: organization.columns.Backlog,
      projectId: organization.projectId,
    });
    expect(created.status).toBe(201);
    const path = `/api/work-items/${created.data.id}`;
    const read = await request(path, { headers: withKey() });
    const etag = read.headers.get('etag') as string;
    expect(etag).toBe(`"${created.data.version}"`);
    const first = await organization.call('PATCH', path, { title: 'Mine' }, { 'if-match': etag });
    expect(first).toMatchObject({ status: 200, data: { title: 'Mine', version: created.data.version + 1 } });
    const second = await organization.call('PATCH', path, { title: 'Late' }, { 'if-match': etag });
    expect(second).toMatchObject({ status: 409, error: { code: 'CONFLICT', current: { title: 'Mine' } } });
  });
});
