import { randomUUID } from 'node:crypto';
import { allOperations } from '@worktrack/contracts/catalogue';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import { beforeAll, describe, expect, test } from 'vitest';

import { caller, type TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { idFields, sampleInput } from './sample-input.ts';
import { sendEverywhere } from './send.ts';

/** Appears in every text of the other project, and of what belongs to none: wherever it is seen, something leaked. */
const CANARY = `canary-${randomUUID()}`;

interface Filled {
  readonly projectId: string;
  readonly boardId: string;
  readonly column: string;
  readonly todo: string;
  /** One of every kind. */
  readonly ids: Readonly<Record<string, string>>;
}

let system: System;
let organization: TestOrganization;
let own: Filled;
let other: Filled;
/** Of the organization's owner, and limited to `own`. */
let limited: CreatedApiKey;
let before: unknown;
let asLimited: TestOrganization['call'];

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  own = await fill('Own', { projectId: organization.projectId, boardId: organization.boardId });
  const project = await organization.call<{ id: string; defaultBoardId: string }>('POST', '/api/projects', {
    name: CANARY,
    description: CANARY,
  });
  other = await fill(CANARY, { projectId: project.data.id, boardId: project.data.defaultBoardId });
  const user = await organization.call<{ id: string }>('POST', '/api/users', {
    ...{ email: `${CANARY}@example.com`, name: CANARY, role: 'viewer' },
  });
  const key = await organization.call<{ id: string }>('POST', '/api/api-keys', { name: CANARY });
  const role = await organization.call<{ id: string }>('POST', '/api/roles', {
    ...{ name: CANARY, permissions: ['work-items:read'] },
  });
  const webhook = await organization.call<{ id: string }>('POST', '/api/webhooks', webhookOf(CANARY));
  const source = await organization.call<{ id: string }>('POST', '/api/feedback/sources', { name: CANARY });
  other = {
    ...other,
    ids: {
      ...other.ids,
      ...{ user: user.data.id, key: key.data.id, role: role.data.id },
      "the organization's webhook": webhook.data.id,
      "the organization's source": source.data.id,
    },
  };
  const made = await organization.call<CreatedApiKey>('POST', '/api/api-keys', {
    ...{ name: 'Limited', projects: [own.projectId] },
  });
  limited = made.data;
  asLimited = caller(system.baseUrl, limited.key as string);
  before = await stateOf(other);
});

const webhookOf = (text: string, projectId?: string) => ({
  ...{ url: `https://hooks.invalid/${text}`, description: text, enabled: false },
  ...(projectId && { projectId }),
});

/** One of everything in a project, with this text in it. */
async function fill(text: string, { projectId, boardId }: Pick<Filled, 'projectId' | 'boardId'>): Promise<Filled> {
  const { call } = organization;
  await call('PATCH', `/api/projects/${projectId}`, { name: text, description: text });
  await call('PATCH', `/api/boards/${boardId}`, { name: text });
  const board = await call<{ columns: { id: string; name: string }[] }>('GET', `/api/boards/${boardId}`);
  const columnNamed = (name: string) => board.data.columns.find((column) => column.name === name)?.id ?? '';
  const ids: Record<string, string> = { project: projectId, board: boardId, column: columnNamed('Backlog') };
  for (const type of ['task', 'idea', 'epic']) {
    const { data } = await call<{ id: string; taskId: string }>('POST', '/api/work-items', {
      ...{ title: `${type} ${text}`, description: text, type, boardId, boardColumnId: columnNamed('To Do') },
      metadata: { note: text },
    });
    ids[type] = data.id;
    ids[`${type} by its task ID`] = data.taskId;
    await call('POST', `/api/work-items/${data.id}/comments`, { text });
  }
  await call('POST', `/api/work-items/${ids.task}/ai-sessions`, { model: text, totalTokens: 1_000 });
  await call('PUT', `/api/projects/${projectId}/budget`, { limitUsd: 10, period: 'total' });
  const view = { name: text, projectId, shared: true, filters: { search: text } };
  ids.view = (await call<{ id: string }>('POST', '/api/views', view)).data.id;
  const source = await call<{ id: string; publicKey: string }>('POST', '/api/feedback/sources', {
    ...{ name: text, type: 'server', requireCaptcha: false, projectId },
  });
  ids.source = source.data.id;
  ids.feedback = await submitFeedback(source.data.publicKey, text);
  await call('POST', `/api/feedback/items/${ids.feedback}/links`, { workItemId: ids.idea });
  ids.webhook = (await call<{ id: string }>('POST', '/api/webhooks', webhookOf(text, projectId))).data.id;
  const missing = Object.entries(ids).filter(([, id]) => !id);
  if (missing.length > 0) throw new Error(`The project has no ${missing.map(([kind]) => kind).join(', ')}.`);
  return { projectId, boardId, column: columnNamed('Backlog'), todo: columnNamed('To Do'), ids };
}

async function submitFeedback(publicKey: string, message: string): Promise<string> {
  const bootstrap = await fetch(`${system.baseUrl}/feedback/widget/bootstrap?publicKey=${publicKey}`);
  const { data } = (await bootstrap.json()) as { data: { token: string } };
  const ingest = await fetch(`${system.baseUrl}/feedback/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey, token: data.token, message }),
  });
  return ((await ingest.json()) as { data: { id: string } }).data.id;
}

/** Everything that the owner sees of a project. */
async function stateOf({ projectId, boardId, ids }: Filled): Promise<unknown> {
  const paths = [
    ...[`/api/projects/${projectId}`, `/api/boards/${boardId}`, `/api/work-items?projectId=${projectId}`],
    ...[`/api/feedback/sources/${ids.source}`, `/api/feedback/items/${ids.feedback}`, `/api/webhooks/${ids.webhook}`],
    `/api/views?projectId=${projectId}`,
    `/api/webhooks/${ids["the organization's webhook"]}`,
    `/api/feedback/sources/${ids["the organization's source"]}`,
    ...[`/api/work-items/${ids.task}/events`, `/api/work-items/${ids.idea}`, `/api/work-items/${ids.epic}`],
  ];
  return await Promise.all(paths.map(async (path) => (await organization.call('GET', path)).data));
}

/** What the caller itself has, so that one foreign id is the only thing wrong. */
function ownIdFor(field: string): string {
  const kinds: Record<string, string | undefined> = {
    ...{ projectId: own.projectId, boardId: own.boardId, boardColumnId: own.column, workItemId: own.ids.task },
  };
  return kinds[field] ?? randomUUID();
}

const operations = allOperations().filter((operation) => operation.rest ?? operation.mcp);
const targets = operations.flatMap((operation) =>
  idFields(operation).map((field) => [operation.name, field.name, operation, field] as const),
);

async function expectNothingSeen(
  operation: (typeof operations)[number],
  input: Record<string, unknown>,
  kind: string,
): Promise<void> {
  for (const { via, status, code, text } of await sendEverywhere(operation, input, system.baseUrl, limited.key ?? '')) {
    const seen = { via, kind, text };
    expect({ ...seen, leaked: text.includes(CANARY) }).toEqual({ ...seen, leaked: false });
    expect({ ...seen, fault: status >= 500 || code === 'INTERNAL' }).toEqual({ ...seen, fault: false });
  }
}

describe('with a key that is limited to one project, and any id of another, nothing of that is seen or changed', () => {
  test.each(targets)('%s, %s', async (_operation, _field, operation, field) => {
    for (const [kind, id] of Object.entries(other.ids)) {
      await expectNothingSeen(
        operation,
        { ...sampleInput(operation, ownIdFor), [field.name]: field.list ? [id] : id },
        kind,
      );
    }
    expect(await stateOf(other)).toEqual(before);
  });
});

describe('a key that is limited to one project', () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    'sees nothing of another by %s',
    async (_name, operation) => {
      await expectNothingSeen(operation, sampleInput(operation, ownIdFor), 'its own');
      const { projectId: _, ...anywhere } = sampleInput(operation, ownIdFor);
      await expectNothingSeen(operation, anywhere, 'none');
      await expectNothingSeen(operation, { ...anywhere, search: CANARY }, 'a search');
    },
  );

  test('is refused what belongs to no project, and told why', async () => {
    const refused = operations.filter(({ ofOrganization }) => ofOrganization);
    expect(refused.map(({ name }) => name).sort()).toEqual([
      ...['audit.export', 'audit.heads', 'audit.list', 'feedback.erase', 'health.show'],
      ...['organization.show', 'organization.update'],
      ...['projects.create', 'roles.create', 'roles.delete', 'roles.list', 'roles.update'],
      ...['sessions.list', 'sessions.revoke'],
      ...['trustRules.create', 'trustRules.delete', 'trustRules.list', 'trustRules.tries', 'trustRules.update'],
      ...['users.create', 'users.erase', 'users.invite', 'users.list', 'users.update', 'users.withdrawInvitation'],
    ]);
    for (const operation of refused) {
      const input = sampleInput(operation, ownIdFor);
      const [answer] = await sendEverywhere(operation, input, system.baseUrl, limited.key ?? '');
      expect(answer).toMatchObject({ status: 403, code: 'PERMISSION_DENIED', text: /limited to projects/ });
    }
  });

  test('says so of itself', async () => {
    const { data } = await asLimited<Identity>('GET', '/api/me');
    expect(data.projects).toEqual([own.projectId]);
  });

  test('lists, counts and finds what is in its project, as one that asks for that project', async () => {
    for (const query of ['', '&search=task', '&sort=priority,-updatedAt', '&type=task', '&limit=1']) {
      const [mine, all] = await Promise.all([
        asLimited('GET', `/api/work-items?page=1${query}`),
        organization.call('GET', `/api/work-items?page=1${query}&projectId=${own.projectId}`),
      ]);
      expect({ ...(mine.data as object), nextCursor: null }).toEqual({ ...(all.data as object), nextCursor: null });
      expect((mine.data as { workItems: unknown[] }).workItems).not.toEqual([]);
    }
    const projects = await asLimited<{ projects: { id: string }[]; pagination: { total: number } }>(
      'GET',
      '/api/projects',
    );
    expect(projects.data.projects.map(({ id }) => id)).toEqual([own.projectId]);
    expect(projects.data.pagination.total).toBe(1);
    const usage = await asLimited<{ totals: object }>('GET', '/api/ai-usage');
    const usageThere = await organization.call<{ totals: object }>('GET', `/api/ai-usage?projectId=${own.projectId}`);
    expect(usage.data.totals).toEqual(usageThere.data.totals);
  });

  test('sees what was submitted to the sources of its project, and only links that lead to its own ideas', async () => {
    const { ids } = own;
    // Its own was taken back by the calls above.
    for (const workItemId of [ids.idea, other.ids.idea]) {
      await organization.call('POST', `/api/feedback/items/${ids.feedback}/links`, { workItemId });
    }
    const inbox = await asLimited<{ items: { id: string; linkedWorkItemIds: string[] }[] }>(
      'GET',
      '/api/feedback/items',
    );
    expect(inbox.data.items).toMatchObject([{ id: ids.feedback, linkedWorkItemIds: [ids.idea] }]);
    expect(inbox.data.items[0]?.linkedWorkItemIds).toEqual([ids.idea]);
    const item = await asLimited<{ linkedWorkItemIds: string[] }>('GET', `/api/feedback/items/${ids.feedback}`);
    expect(item.data.linkedWorkItemIds).toEqual([ids.idea]);
    const { data: ofInbox } = await organization.call<CreatedApiKey>('POST', '/api/api-keys', {
      ...{ name: 'Inbox', projects: [own.projectId], permissions: ['feedback:read', 'feedback:write'] },
    });
    const asInbox = caller(system.baseUrl, ofInbox.key as string);
    for (const [method, body] of [['GET'], ['PATCH', { status: 'resolved' }]] as const) {
      const answer = await asInbox<typeof item.data>(method, `/api/feedback/items/${ids.feedback}`, body);
      expect(answer).toMatchObject({ status: 200, data: { linkedWorkItemIds: [ids.idea] } });
    }
    const foreign = await asLimited('DELETE', `/api/feedback/items/${ids.feedback}/links/${other.ids.idea}`);
    expect(foreign.status).toBe(404);
    const stored = await organization.call<typeof item.data>('GET', `/api/feedback/items/${ids.feedback}`);
    expect(stored.data.linkedWorkItemIds).toEqual([ids.idea, other.ids.idea]);
    const sources = await asLimited<{ id: string }[]>('GET', '/api/feedback/sources');
    expect(sources.data.map(({ id }) => id)).toEqual([ids.source]);
    const moved = await asLimited('PATCH', `/api/feedback/sources/${ids.source}`, { projectId: null });
    expect(moved.status).toBe(403);
  });

  test('manages the webhooks of its project, and makes none for the organization', async () => {
    const hooks = await asLimited<{ id: string }[]>('GET', '/api/webhooks');
    expect(hooks.data.map(({ id }) => id)).toEqual([own.ids.webhook]);
    expect((await asLimited('POST', '/api/webhooks', webhookOf('Mine', own.projectId))).status).toBe(201);
    expect((await asLimited('POST', '/api/webhooks', webhookOf('All'))).status).toBe(403);
    expect((await asLimited('POST', '/api/webhooks', webhookOf('Theirs', other.projectId))).status).toBe(400);
  });

  test('claims in its project without naming it', async () => {
    // The calls above may have done anything with those that were there.
    const { data: task } = await organization.call<{ id: string }>('POST', '/api/work-items', {
      ...{ title: 'Next', type: 'task', boardId: own.boardId, boardColumnId: own.todo, priority: 'urgent' },
    });
    const claim = await asLimited<{ workItem: { id: string } | null }>('POST', '/api/work-items/claim', {
      ...{ agent: 'limited', leaseSeconds: 60 },
    });
    expect(claim.data.workItem?.id).toBe(task.id);
  });

  test('reads only the events of its project', async () => {
    const { data } = await asLimited<{ events: { projectId?: string }[] }>('GET', '/api/events?after=0&limit=100');
    expect(data.events.length).toBeGreaterThan(5);
    expect(new Set(data.events.map(({ projectId }) => projectId))).toEqual(new Set([own.projectId]));
  });

  test('opens no MCP session with a project that somebody else has just opened one with', async () => {
    const open = async (key: string | null, projectId: string) => {
      const response = await fetch(`${system.baseUrl}/mcp?projectId=${projectId}`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      return { status: response.status, text: (await response.text()).replace(/"requestId":"[^"]*"/, '') };
    };
    expect((await open(organization.apiKey, other.projectId)).status).toBe(200);
    const refused = await open(limited.key, other.projectId);
    expect(refused).toEqual(await open(limited.key, randomUUID()));
    expect(refused.status).toBe(404);
    expect((await open(limited.key, own.projectId)).status).toBe(200);
  });

  test('is not told from which project a webhook or a source came to its own', async () => {
    const { call } = organization;
    const { data: hook } = await call<{ id: string }>('POST', '/api/webhooks', webhookOf('moves', other.projectId));
    const { data: source } = await call<{ id: string }>('POST', '/api/feedback/sources', {
      ...{ name: CANARY, projectId: other.projectId },
    });
    const given = { projectId: own.projectId };
    expect((await call('PATCH', `/api/webhooks/${hook.id}`, given)).status).toBe(200);
    expect((await call('PATCH', `/api/feedback/sources/${source.id}`, { ...given, name: 'Moved' })).status).toBe(200);
    expect((await call('PATCH', `/api/webhooks/${hook.id}`, { description: 'Last' })).status).toBe(200);
    expect((await call('PATCH', `/api/feedback/sources/${source.id}`, { name: 'Last' })).status).toBe(200);
    const seen = async () => {
      const events: { type: string; subject: { id: string } }[] = [];
      for (let after = 0; ; ) {
        const { data } = await asLimited<{ events: typeof events; nextSeq: number }>(
          'GET',
          `/api/events?after=${after}`,
        );
        events.push(...data.events);
        if (data.nextSeq === after) return events;
        after = data.nextSeq;
      }
    };
    // Of these alone: the limited key itself has written the other project's id into its items before.
    const ofThese = async () => (await seen()).filter(({ subject }) => [hook.id, source.id].includes(subject.id));
    await expect
      .poll(ofThese, { timeout: 20_000 })
      .toMatchObject([{ type: 'webhook.updated' }, { type: 'source.updated' }]);
    const told = JSON.stringify(await ofThese());
    expect(told).not.toContain(other.projectId);
    expect(told).not.toContain(CANARY);
  });

  test('is not told what another caller got for the same request under the same Idempotency-Key', async () => {
    const made = { title: `Made ${CANARY}`, type: 'task', boardId: other.boardId, boardColumnId: other.todo };
    const requests = [
      ['/api/work-items', made],
      [`/api/work-items/${other.ids.task}/comments`, { text: CANARY }],
    ] as const;
    for (const [path, body] of requests) {
      const headers = { 'idempotency-key': randomUUID() };
      expect((await organization.call('POST', path, body, headers)).status).toBe(201);
      expect((await organization.call('POST', path, body, headers)).status).toBe(201);
      const answer = await asLimited('POST', path, body, headers);
      expect(answer.success).toBe(false);
      expect(JSON.stringify(answer)).not.toContain(CANARY);
    }
    const headers = { 'idempotency-key': randomUUID() };
    const mine = { title: 'Mine', type: 'task', boardId: own.boardId, boardColumnId: own.todo };
    const [first, again] = [
      await asLimited<{ id: string }>('POST', '/api/work-items', mine, headers),
      await asLimited<{ id: string }>('POST', '/api/work-items', mine, headers),
    ];
    expect(again.data.id).toBe(first.data.id);
  });

  test('cannot be made for a project that does not exist', async () => {
    const made = await organization.call('POST', '/api/api-keys', { name: 'X', projects: [randomUUID()] });
    expect(made).toMatchObject({ status: 400 });
  });
});
