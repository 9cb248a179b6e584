import { createHash, randomUUID } from 'node:crypto';
import type { AuditEntry, AuditHead } from '@worktrack/contracts/audit/entry';
import { allOperations } from '@worktrack/contracts/catalogue';
import { type AuditKey, canonicalJson, isSignedBy, publicKeyOf } from '@worktrack/runtime/audit/chain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AppServer,
  asPerson,
  authorizeParameters,
  connectApp,
  newVerifier,
  openAuthorize,
  openPage,
} from '../support/app.ts';
import { ownPage, rawRequest, signIn } from '../support/browser-request.ts';
import { caller, type TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

type Made = { readonly id: string; readonly key?: string };

let system: System;
let organization: TestOrganization;
let apps: AppServer;

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  apps = await AppServer.start();
});
afterAll(() => apps?.stop());

/** Everything in the log. Reading it is entered, too. */
async function everything(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = `after=0&limit=200${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const { data } = await organization.call<{ entries: AuditEntry[]; nextCursor: string | null }>(
      'GET',
      `/api/audit?${query}`,
    );
    entries.push(...data.entries);
    if (data.nextCursor === null) return entries;
    cursor = data.nextCursor;
  }
}

const entriesOf = async (requestId: string) =>
  (await everything()).filter(({ context }) => context.requestId === requestId);

async function settled(requestId: string): Promise<AuditEntry[]> {
  await expect.poll(async () => (await entriesOf(requestId)).length).toBeGreaterThan(0);
  return entriesOf(requestId);
}

const audited = allOperations().filter(({ audit, rest }) => audit && rest);

/** A call of each that is allowed. @returns what it is about, if its answer does not say */
const CALLS: Record<string, (call: TestOrganization['call']) => ReturnType<TestOrganization['call']>> = {
  'users.create': (call) => call('POST', '/api/users', person()),
  'users.update': async (call) => call('PATCH', `/api/users/${(await user()).id}`, { role: 'viewer' }),
  'users.invite': async (call) => call('POST', `/api/users/${(await user()).id}/invitation`),
  'users.withdrawInvitation': async (call) => {
    const path = `/api/users/${(await user()).id}/invitation`;
    await organization.call('POST', path);
    return call('DELETE', path);
  },
  'users.erase': async (call) => {
    const { id } = await user();
    await organization.call('PATCH', `/api/users/${id}`, { disabled: true });
    return call('POST', `/api/users/${id}/erase`);
  },
  'roles.create': (call) => call('POST', '/api/roles', role()),
  'roles.update': async (call) =>
    call('PATCH', `/api/roles/${(await made('/api/roles', role())).id}`, { name: unique() }),
  'roles.delete': async (call) => call('DELETE', `/api/roles/${(await made('/api/roles', role())).id}`),
  'keys.create': (call) => call('POST', '/api/api-keys', { name: 'CI' }),
  'keys.revoke': async (call) => call('DELETE', `/api/api-keys/${(await key()).id}`),
  'keys.rotate': async (call) => call('POST', `/api/api-keys/${(await key()).id}/rotate`, {}),
  'keys.rotateSelf': async (_, headers = sent('keys.rotateSelf')) =>
    caller(system.baseUrl, (await key()).key ?? '')('POST', '/api/api-keys/self/rotate', {}, headers),
  'sessions.createCode': (call) => call('POST', '/api/login-codes', {}),
  'sessions.revoke': async (call) => {
    await signIn(system.baseUrl, { apiKey: organization.apiKey });
    const { data } = await organization.call<{ items: { id: string }[] }>('GET', '/api/sessions');
    return call('DELETE', `/api/sessions/${data.items[0]?.id}`);
  },
  'trustRules.create': (call) => call('POST', '/api/trust-rules', rule()),
  'trustRules.update': async (call) =>
    call('PATCH', `/api/trust-rules/${(await made('/api/trust-rules', rule())).id}`, { disabled: true }),
  'trustRules.delete': async (call) =>
    call('DELETE', `/api/trust-rules/${(await made('/api/trust-rules', rule())).id}`),
  'grants.create': async (_, headers = sent('grants.create')) => {
    const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
    const id = await openAuthorize(system.baseUrl, authorizeParameters(apps.publish(), newVerifier()));
    await openPage(system.baseUrl, cookie, id);
    const body = { permissions: ['work-items:read'] };
    return (await asPerson(system.baseUrl, cookie, 'POST', `/api/connections/${id}/approve`, body, headers)) as never;
  },
  'grants.revoke': async (call) => {
    await connectApp(system.baseUrl, await signIn(system.baseUrl, { apiKey: organization.apiKey }), apps.publish());
    const { data } = await organization.call<{ items: Made[] }>('GET', '/api/grants');
    return call('DELETE', `/api/grants/${data.items[0]?.id}`);
  },
  'sources.create': (call) => call('POST', '/api/feedback/sources', { name: unique() }),
  'sources.update': async (call) => call('PATCH', `/api/feedback/sources/${(await source()).id}`, { enabled: false }),
  'sources.delete': async (call) => call('DELETE', `/api/feedback/sources/${(await source()).id}`),
  'feedback.delete': async (call) => call('DELETE', `/api/feedback/items/${await submitted()}`),
  'feedback.erase': (call) => call('POST', '/api/feedback/erase', { email: 'visitor@example.com' }),
  'webhooks.create': (call) => call('POST', '/api/webhooks', hook()),
  'webhooks.update': async (call) => call('PATCH', `/api/webhooks/${(await webhook()).id}`, { description: 'x' }),
  'webhooks.delete': async (call) => call('DELETE', `/api/webhooks/${(await webhook()).id}`),
  'webhooks.rotate': async (call) => call('POST', `/api/webhooks/${(await webhook()).id}/rotate`),
  'webhooks.test': async (call) => call('POST', `/api/webhooks/${(await webhook()).id}/test`),
  'webhooks.replay': async (call) => call('POST', `/api/webhooks/${(await webhook()).id}/replay`, { after: 0 }),
  'projects.create': (call) => call('POST', '/api/projects', { name: unique() }),
  'projects.update': async (call) => call('PATCH', `/api/projects/${(await project()).id}`, { name: unique() }),
  'projects.delete': async (call) => call('DELETE', `/api/projects/${(await project()).id}`),
  'projects.setBudget': (call) => call('PUT', `/api/projects/${organization.projectId}/budget`, { limitUsd: 5 }),
  'workItems.setItemBudget': async (call) =>
    call('PUT', `/api/work-items/${(await epic()).id}/budget`, { limitUsd: 5 }),
  'workItems.move': async (call) =>
    call('POST', `/api/work-items/${(await epic()).id}/move`, { boardColumnId: 'Done', force: true }),
  'workItems.batchMove': async (call) => {
    const workItemIds = [(await epic()).id];
    return call('POST', '/api/work-items/batch-move', { workItemIds, boardColumnId: 'Done', force: true });
  },
  'workItems.update': async (call) =>
    call('PATCH', `/api/work-items/${(await epic()).id}`, { boardColumnId: 'Done', force: true }),
  'boards.create': (call) => call('POST', `/api/projects/${organization.projectId}/boards`, { name: unique() }),
  'boards.update': (call) => call('PATCH', `/api/boards/${organization.boardId}`, { name: unique() }),
  'boards.delete': async (call) => {
    const { data } = await organization.call('POST', `/api/projects/${organization.projectId}/boards`, {
      name: unique(),
    });
    return call('DELETE', `/api/boards/${data.id}`);
  },
  'audit.list': (call) => call('GET', '/api/audit'),
  'audit.heads': (call) => call('GET', '/api/audit/heads'),
  'audit.export': async (_, headers = sent('audit.export')) => {
    const authorization = `Bearer ${organization.apiKey}`;
    const { status } = await fetch(`${system.baseUrl}/api/audit/export`, { headers: { authorization, ...headers } });
    return { status } as never;
  },
};

const unique = () => randomUUID();
const sent = (name: string, outcome = 'allowed') => ({ 'x-request-id': `${outcome}-${name}` });
const person = () => ({ email: `${unique()}@example.com`, name: 'Grace', role: 'member' });
const role = () => ({ name: unique(), permissions: ['work-items:read'] });
const rule = () => ({
  ...{ name: unique(), issuer: 'https://issuer.invalid' },
  claims: { team: 'shop', environment: 'production' },
});
const hook = () => ({ url: `https://hooks.invalid/${unique()}`, enabled: false });
const made = async (path: string, body: unknown) => (await organization.call<Made>('POST', path, body)).data;
const user = () => made('/api/users', person());
const key = () => made('/api/api-keys', { name: 'CI' });
const source = () => made('/api/feedback/sources', { name: unique(), type: 'server', requireCaptcha: false });
const webhook = () => made('/api/webhooks', hook());
const epic = () => {
  const { projectId, boardId, columns } = organization;
  return made('/api/work-items', { projectId, boardId, boardColumnId: columns.Backlog, type: 'epic', title: 'Shop' });
};
const project = () => made('/api/projects', { name: unique() });

async function submitted(): Promise<string> {
  const { publicKey } = (await source()) as unknown as { publicKey: string };
  const bootstrap = await fetch(`${system.baseUrl}/feedback/widget/bootstrap?publicKey=${publicKey}`);
  const { token } = ((await bootstrap.json()) as { data: { token: string } }).data;
  const answer = await fetch(`${system.baseUrl}/feedback/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey, token, message: unique() }),
  });
  return ((await answer.json()) as { data: Made }).data.id;
}

describe('every audited operation', () => {
  test('is called by this test', () => {
    expect(Object.keys(CALLS).toSorted()).toEqual(audited.map(({ name }) => name).toSorted());
  });

  test.each(audited)('$name: allowed, it has exactly one entry', async ({ name, audit }) => {
    const call: TestOrganization['call'] = (method, path, body) => organization.call(method, path, body, sent(name));
    const { status, error } = (await CALLS[name]?.(call)) ?? { status: 0 };
    expect(status, JSON.stringify(error)).toBeLessThan(300);
    const entries = await settled(sent(name)['x-request-id']);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      action: name,
      outcome: 'allowed',
      // Only a person decides what an app may do.
      actor: {
        type: name === 'grants.create' ? 'session' : 'key',
        userId: organization.userId,
        name: expect.any(String),
      },
      context: { address: expect.stringContaining('127.0.0.1') },
    });
    if (name !== 'feedback.erase')
      expect(new Set(entries[0]?.targets.map(({ type }) => type))).toEqual(new Set([audit]));
  });

  test('denied, it has exactly one entry, once the minute is over, with the number of tries', {
    timeout: 150_000,
  }, async () => {
    const weak = (await made('/api/api-keys', { name: 'Weak', permissions: ['projects:read'] })).key ?? '';
    const tryIt = caller(system.baseUrl, weak);
    const refusable = audited.filter(({ permissions }) => permissions.length > 0);
    const byTool = {
      key: (await made('/api/api-keys', { name: 'Tool', permissions: ['projects:read'] })).key ?? '',
      id: unique(),
    };
    await callTool(system.baseUrl, byTool.key, 'update_work_item', { workItemId: byTool.id });
    const tried: Record<string, string[]> = {};
    for (const { name, rest = '' } of refusable) {
      const [method = '', path = ''] = rest.split(' ');
      const id = unique();
      const at = path.replace(/:\w+/g, id);
      tried[name] = at === path ? [] : [id];
      for (let tries = 0; tries < 2; tries++) {
        const { status } = await tryIt(method, at, method === 'GET' ? undefined : {}, sent(name, 'denied'));
        expect(status, name).toBe(403);
      }
    }
    await expect
      .poll(async () => denied(await everything()).length, { timeout: 90_000, interval: 3_000 })
      .toBe(refusable.length);
    const entries = denied(await everything());
    expect(entries.map(({ action }) => action).toSorted()).toEqual(refusable.map(({ name }) => name).toSorted());
    expect(entries.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(2 * refusable.length);
    expect(Object.fromEntries(entries.map(({ action, targets }) => [action, targets]))).toEqual(tried);
    const ofTool = (await everything()).filter(({ actor }) => actor.name === 'Tool');
    expect(ofTool.flatMap(({ targets }) => targets.map(({ id }) => id))).toEqual([byTool.id]);
    // A minute may end between the two tries, and then each has its own entry.
    function denied(all: readonly AuditEntry[]) {
      const own = all.filter(({ actor, outcome }) => actor.name === 'Weak' && outcome === 'denied');
      return [...Map.groupBy(own, ({ action }) => action).values()].map((same) => ({
        action: same[0]?.action ?? '',
        targets: same[0]?.targets.map(({ id }) => id),
        count: same.reduce((sum, { count = 0 }) => sum + count, 0),
      }));
    }
  });
});

test('the entry of a changed budget says what it was, by whichever way it is changed', async () => {
  const { id } = await project();
  const { id: epicId } = await epic();
  const entryOf = async (request: string) => (await settled(request))[0];
  const [five, seven] = [5, 7].map((limitUsd) => ({ limitUsd, period: 'total' as const }));
  for (const [path, target] of [
    [`/api/projects/${id}/budget`, { type: 'project', id }],
    [`/api/work-items/${epicId}/budget`, { type: 'work_item', id: epicId }],
  ] as const) {
    for (const [old, now] of [
      [null, five],
      [five, seven],
      [seven, null],
    ]) {
      const request = unique();
      await organization.call('PUT', path, now ?? { limitUsd: null }, { 'x-request-id': request });
      expect(await entryOf(request)).toMatchObject({
        targets: [target],
        changes: [{ field: 'budget', old: old ?? null, new: now ?? null }],
      });
    }
  }
  await callTool(system.baseUrl, organization.apiKey, 'set_budget', { projectId: id, limitUsd: 7 });

  await expect
    .poll(async () => (await everything()).filter(({ action }) => action === 'workItems.setBudget'))
    .toMatchObject([{ targets: [{ type: 'project', id }], changes: [{ field: 'budget', old: null, new: seven }] }]);
});

test('the entry of a move by force says which tasks passed a gate, and where to; any other move has none', async () => {
  const { id: projectId, defaultBoardId: boardId } = (await project()) as Made & { defaultBoardId: string };
  await organization.call('PATCH', `/api/projects/${projectId}`, { gates: 'enforce' });
  const task = () =>
    made('/api/work-items', { boardId, boardColumnId: 'To Do', type: 'task', title: 'Secret plans' }) as Promise<
      Made & { taskId: string }
    >;
  const tasks = [await task(), await task(), await task()];
  const [one, ...others] = tasks;
  const moved = (path: string, body: object, request: string) =>
    organization.call('POST', `/api/work-items/${path}`, body, { 'x-request-id': request });
  const requests = [unique(), unique(), unique()] as const;
  await moved(`${one?.id}/move`, { boardColumnId: 'In Progress' }, requests[0]);
  await moved(`${one?.id}/move`, { boardColumnId: 'Done', force: true }, requests[1]);
  const workItemIds = others.map(({ id }) => id);
  await moved('batch-move', { workItemIds, boardColumnId: 'Testing', force: true }, requests[2]);

  const targetOf = ({ id, taskId }: Made & { taskId: string }) => ({ type: 'work_item', id, name: taskId });
  expect(await settled(requests[1])).toMatchObject([
    {
      ...{ action: 'workItems.move', targets: [targetOf(one as never)] },
      changes: [{ field: 'columnName', old: 'In Progress', new: 'Done' }],
    },
  ]);
  expect(await settled(requests[2])).toMatchObject([
    {
      ...{ action: 'workItems.batchMove', targets: others.map(targetOf) },
      changes: others.map(() => ({ field: 'columnName', old: 'To Do', new: 'Testing' })),
    },
  ]);
  expect(await entriesOf(requests[0])).toEqual([]);
  expect(JSON.stringify(await everything())).not.toContain('Secret plans');
});

test('the entry of a rotation names the new key and the one that it replaces', async () => {
  const old = await key();
  for (const path of [`/api/api-keys/${old.id}/rotate`, '/api/api-keys/self/rotate']) {
    const own = path.includes('self') ? await key() : old;
    const request = unique();
    const rotate = path.includes('self') ? caller(system.baseUrl, own.key ?? '') : organization.call;
    const { data } = await rotate<Made>('POST', path, {}, { 'x-request-id': request });
    expect((await settled(request))[0]?.targets).toEqual(
      [data.id, own.id].map((id) => ({ type: 'key', id, name: 'CI' })),
    );
  }
});

test('the entry of a project says which texts changed, and not what people wrote', async () => {
  const { id } = await project();
  const request = unique();
  const texts = {
    description: 'Secret plans',
    templates: [{ name: 'Bug', type: 'task', description: 'Secret steps' }],
  };
  const { status } = await organization.call('PATCH', `/api/projects/${id}`, texts, { 'x-request-id': request });
  expect(status).toBe(200);
  const [entry] = await settled(request);
  expect(JSON.stringify(entry)).not.toContain('Secret');
  expect(entry?.changes).toEqual(
    expect.arrayContaining(['description', 'templates'].map((field) => ({ field, old: null, new: null }))),
  );
});

describe('signing in', () => {
  test('is entered, and so is signing out, under the names that people look for', async () => {
    const cookie = await signIn(system.baseUrl, { apiKey: organization.apiKey });
    await rawRequest(`${system.baseUrl}/console/session`, 'DELETE', { ...ownPage(system.baseUrl), cookie });
    await expect
      .poll(async () => (await everything()).map(({ action }) => action))
      .toEqual(expect.arrayContaining(['sessions.create', 'sessions.close']));
    const entry = (await everything()).findLast(({ action }) => action === 'sessions.create');
    expect(entry).toMatchObject({ outcome: 'allowed', actor: { type: 'user', userId: organization.userId } });
  });

  test('with a revoked key is entered as denied; with an unknown one nowhere', async () => {
    const { id, key: revoked = '' } = await key();
    await organization.call('DELETE', `/api/api-keys/${id}`);
    await expect(signIn(system.baseUrl, { apiKey: revoked })).rejects.toThrow('401');
    const denied = async () =>
      (await everything()).filter(({ action, outcome }) => action === 'sessions.create' && outcome === 'denied');
    await expect.poll(async () => (await denied()).map(({ actor }) => actor.id)).toEqual([id]);
  });
});

test('the export is the log, and whoever has only the page on it can check every hash and signature', async () => {
  const from = new Date(0).toISOString();
  const headers = { authorization: `Bearer ${organization.apiKey}` };
  const exported = await fetch(`${system.baseUrl}/api/audit/export?from=${from}`, { headers });
  const documentation = (await (await fetch(`${system.baseUrl}/openapi.json`)).json()) as {
    readonly paths: Readonly<
      Record<string, { readonly get: { readonly responses: { readonly 200: { readonly content: object } } } }>
    >;
  };
  const documented = Object.keys(documentation.paths['/api/audit/export']?.get.responses[200].content ?? {});
  expect(documented).toContain(exported.headers.get('content-type')?.split(';')[0]);
  const text = await exported.text();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  expect(lines.length).toBeGreaterThan(20);
  // By the words of docs/audit.md, without the product's own functions.
  const sha256 = (...parts: (string | Buffer)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  };
  let before = '';
  for (const { hash, salts, ...entry } of lines) {
    for (const [path, salt] of Object.entries(salts)) {
      const steps = path.split('.');
      const last = steps.pop() as string;
      let holder = entry as unknown as Record<string, unknown>;
      for (const step of steps) holder = holder[step] as Record<string, unknown>;
      holder[last] = sha256(Buffer.from(salt, 'hex'), canonicalJson(holder[last]));
    }
    expect(sha256(before, canonicalJson(entry))).toBe(hash);
    before = hash;
  }
  await expect
    .poll(async () => (await organization.call<{ heads: AuditHead[] }>('GET', '/api/audit/heads')).data.heads.length, {
      timeout: 75_000,
      interval: 2_000,
    })
    .toBeGreaterThan(0);
  const { heads } = (await organization.call<{ heads: AuditHead[] }>('GET', '/api/audit/heads')).data;
  const jwks = await (await fetch(`${system.baseUrl}/.well-known/worktrack-audit-keys.json`)).json();
  const keys = new Map((jwks as { keys: AuditKey[] }).keys.map((each) => [each.kid, publicKeyOf(each)]));
  for (const head of heads) expect(isSignedBy(head, keys.get(head.keyId) as never)).toBe(true);
});

test('is for owners: an admin is refused, and an auditor is whoever has a role with audit:read', async () => {
  const auditors = await made('/api/roles', { name: 'Auditor', permissions: ['audit:read'] });
  const statuses: number[] = [];
  for (const given of ['admin', auditors.id]) {
    const { id: userId } = await made('/api/users', { ...person(), role: given });
    const { key: value = '' } = await made('/api/api-keys', { name: 'x', userId });
    statuses.push((await caller(system.baseUrl, value)('GET', '/api/audit')).status);
  }
  expect(statuses).toEqual([403, 200]);
});
