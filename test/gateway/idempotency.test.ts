import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createLog } from '@worktrack/runtime/process/logging';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem, startGateways } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

const write = (method: string, path: string, body: unknown, key: string) =>
  organization.call<{ id: string; name: string; key?: string | null }>(method, path, body, { 'idempotency-key': key });
const projectsNamed = async (name: string) => {
  const { data } = await organization.call<{ projects: { name: string }[] }>('GET', '/api/projects?limit=100');
  return data.projects.filter((project) => project.name === name).length;
};

describe('Idempotency-Key', () => {
  test('the same key and body answers as the first time, and takes effect once', async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    const first = await write('POST', '/api/projects', { name }, key);
    const second = await write('POST', '/api/projects', { name }, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.data).toEqual(first.data);
    expect(await projectsNamed(name)).toBe(1);
  });

  test('while the first is in progress, the others wait for its answer', async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => write('POST', '/api/projects', { name }, key)));
    expect(new Set(answers.map(({ status, data }) => `${status} ${data.id}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await projectsNamed(name)).toBe(1);
  });

  test('another body is refused', async () => {
    const key = randomUUID();
    await write('POST', '/api/projects', { name: 'One' }, key);
    expect(await write('POST', '/api/projects', { name: 'Other' }, key)).toMatchObject({
      status: 409,
      error: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  test('another path of the same operation is a different request', async () => {
    const key = randomUUID();
    const [one, other] = await Promise.all(
      ['A', 'B'].map((name) => organization.call<{ id: string }>('POST', '/api/projects', { name })),
    );
    await write('PATCH', `/api/projects/${one?.data.id}`, { description: 'd' }, key);
    expect(await write('PATCH', `/api/projects/${other?.data.id}`, { description: 'd' }, key)).toMatchObject({
      status: 409,
      error: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  test('another operation is refused, of the same service and of a different one', async () => {
    const key = randomUUID();
    const project = await write('POST', '/api/projects', { name: 'One' }, key);
    const sameService = await write('PATCH', `/api/projects/${project.data.id}`, { name: 'Two' }, key);
    const otherService = await write('POST', '/api/api-keys', { name: 'One' }, key);
    for (const refused of [sameService, otherService]) {
      expect(refused).toMatchObject({ status: 409, error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    }
  });

  test('what was refused leaves the key unused, for another body and for another operation', async () => {
    const key = randomUUID();
    expect((await write('POST', '/api/projects', { nmae: 'typo' }, key)).status).toBe(400);
    expect(
      (await write('PATCH', '/api/projects/0198c0de-0000-7000-8000-000000000000', { name: 'x' }, key)).status,
    ).toBe(404);
    const taken = await write('POST', '/api/api-keys', { name: 'Taken' }, key);
    expect(taken.status).toBe(201);
    expect(taken.headers.get('idempotency-replayed')).toBeNull();
  });

  test('the replay of a key’s creation does not show the key again', async () => {
    const key = randomUUID();
    const first = await write('POST', '/api/api-keys', { name: 'Once' }, key);
    const second = await write('POST', '/api/api-keys', { name: 'Once' }, key);
    expect(first.data.key).toMatch(/^wt_/);
    expect(second.data).toEqual({ ...first.data, key: null });
  });

  test('it belongs to one organization: another one may use the same', async () => {
    const key = randomUUID();
    const stranger = await system.newOrganization();
    const mine = await write('POST', '/api/projects', { name: 'Mine' }, key);
    const theirs = await stranger.call('POST', '/api/projects', { name: 'Mine' }, { 'idempotency-key': key });
    expect(theirs.status).toBe(201);
    expect(theirs.data.id).not.toBe(mine.data.id);
  });

  test('what is about the caller alone is another request when another user, or key, asks for it', async () => {
    const [one, other] = [await organization.newUser(), await organization.newUser()];
    const task = { title: 'Watched', type: 'task', boardId: organization.boardId };
    const { data: item } = await organization.call<{ id: string }>('POST', '/api/work-items', {
      ...task,
      boardColumnId: organization.columns.Backlog,
    });
    const requests = [
      ['PUT', `/api/work-items/${item.id}/watch`, undefined],
      ['POST', '/api/views', { name: randomUUID(), projectId: organization.projectId, shared: false, filters: {} }],
      ['POST', '/api/api-keys/self/rotate', {}],
    ] as const;
    for (const [method, path, body] of requests) {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await one.call(method, path, body, headers);
      expect(first.success).toBe(true);
      expect(await other.call(method, path, body, headers)).toMatchObject({
        status: 409,
        error: { code: 'IDEMPOTENCY_KEY_REUSED' },
      });
      expect((await one.call(method, path, body, headers)).headers.get('idempotency-replayed')).toBe('true');
    }
    const watched = await other.call('GET', `/api/work-items/${item.id}/watch`);
    expect(watched.data).toMatchObject({ watching: false });
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(256)],
    ['not printable', 'a\tb'],
    ['not ASCII', 'schlüssel'],
  ])('a key that is %s is refused, and names the header', async (_, key) => {
    expect(await write('POST', '/api/projects', { name: 'x' }, key)).toMatchObject({
      status: 400,
      error: { code: 'VALIDATION_FAILED', details: [{ path: 'Idempotency-Key' }] },
    });
  });

  test('255 printable characters are accepted', async () => {
    expect((await write('POST', '/api/projects', { name: 'Long' }, `${randomUUID()} ${'~'.repeat(218)}`)).status).toBe(
      201,
    );
  });
});

describe('the same request is recognized, and a different one is not taken for it, however it is written', () => {
  const newItem = async (title: string) => {
    const { boardId, columns } = organization;
    const item = { title, type: 'task', boardId, boardColumnId: columns.Backlog };
    return (await organization.call<{ id: string; taskId: string }>('POST', '/api/work-items', item)).data;
  };

  test('the order of keys does not matter, at any depth', async () => {
    const { boardId, columns } = organization;
    const key = randomUUID();
    const body = { title: 'One', type: 'task', boardId, boardColumnId: columns.Backlog };
    const first = await write('POST', '/api/work-items', { ...body, metadata: { a: { b: 1, c: 2 } } }, key);
    const again = await write(
      'POST',
      '/api/work-items',
      { metadata: { a: { c: 2, b: 1 } }, ...Object.fromEntries(Object.entries(body).reverse()) },
      key,
    );
    expect([first.status, again.status, again.data.id]).toEqual([201, 201, first.data.id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await write('POST', '/api/work-items', { ...body, metadata: { a: { b: 2, c: 1 } } }, key)).status).toBe(
      409,
    );
  });

  test('an item may be named by its UUID or its task ID, in the path and in the body', async () => {
    const [item, other] = [await newItem('One'), await newItem('Other')];
    const key = randomUUID();
    const comment = (name: string) => write('POST', `/api/work-items/${name}/comments`, { text: 'x' }, key);
    const first = await comment(item.taskId);
    for (const name of [item.id, item.taskId.toLowerCase(), item.id.toUpperCase()]) {
      const again = await comment(name);
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      expect(again.data).toEqual(first.data);
    }
    for (const name of [other.id, other.taskId]) expect((await comment(name)).status).toBe(409);

    const moving = randomUUID();
    const move = (names: string[]) =>
      write(
        'POST',
        '/api/work-items/batch-move',
        { workItemIds: names, boardColumnId: organization.columns['To Do'] },
        moving,
      );
    expect((await move([item.taskId, other.id])).status).toBe(200);
    expect((await move([item.id, other.taskId])).headers.get('idempotency-replayed')).toBe('true');
    expect((await move([other.taskId, item.id])).status).toBe(409);
    expect((await move([item.taskId])).status).toBe(409);
  });

  test('also for an item that is gone, through its own deletion', async () => {
    const item = await newItem('Gone');
    const key = randomUUID();
    const remove = (name: string) => write('DELETE', `/api/work-items/${name}`, undefined, key);
    expect((await remove(item.taskId)).status).toBe(200);
    const again = await remove(item.id);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test('what looks like a name in a text is just text', async () => {
    const item = await newItem('Named');
    const key = randomUUID();
    expect((await write('POST', `/api/work-items/${item.id}/comments`, { text: item.taskId }, key)).status).toBe(201);
    expect((await write('POST', `/api/work-items/${item.id}/comments`, { text: item.id }, key)).status).toBe(409);
  });
});

describe('without what Redis knows', () => {
  let own: Awaited<ReturnType<typeof startGateways>>;
  beforeAll(async () => {
    own = await startGateways(1, { hasOwnRedis: true });
  });
  afterAll(() => own?.stop());

  test('the same key and arguments in a session of another project are a different request', async () => {
    const { apiKey, projectId, call } = await own.newOrganization();
    const other = (await call<{ id: string }>('POST', '/api/projects', { name: 'Other' })).data.id;
    const headers = { 'idempotency-key': randomUUID() };
    const create = (session: string) =>
      callTool(own.baseUrl, apiKey, 'create_task', { title: 'Once' }, { headers, query: `?projectId=${session}` });
    const first = await create(projectId);
    expect(first.output?.projectId).toBe(projectId);

    const redis = connectRedis(own.urls.redis, createLog('test', 'silent'));
    await once(redis, 'ready');
    await redis.flushdb();
    redis.disconnect();

    const second = await create(other);
    expect(second.output).toBeUndefined();
    expect(second.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const again = await create(projectId);
    expect(again.output).toEqual(first.output);
  });
});
