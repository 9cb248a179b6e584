import { randomUUID } from 'node:crypto';
import { allOperations } from '@worktrack/contracts/catalogue';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { idFields, sampleInput } from './sample-input.ts';
import { sendEverywhere } from './send.ts';

/** Appears in every text of the other organization: wherever it is seen, something leaked. */
const CANARY = `canary-${randomUUID()}`;

let system: System;
let ours: TestOrganization;
let theirs: TestOrganization;
/** One id of every kind that the other organization has. */
let foreignIds: Record<string, string>;
/** What the other organization had after the test before: reading it takes longer than trying its ids. */
let before: unknown;

beforeAll(async () => {
  system = await sharedSystem();
  ours = await system.newOrganization();
  theirs = await system.newOrganization();
  foreignIds = await fill(theirs);
  before = await stateOf(theirs);
});

async function fill(organization: TestOrganization): Promise<Record<string, string>> {
  const { call, boardId, columns, projectId } = organization;
  await call('PATCH', `/api/projects/${projectId}`, { name: CANARY, description: CANARY });
  await call('PATCH', `/api/boards/${boardId}`, { name: CANARY });
  const ids: Record<string, string> = { project: projectId, board: boardId, column: columns.Backlog ?? '' };
  for (const type of ['task', 'idea', 'epic']) {
    const item = await call<{ id: string; taskId: string }>('POST', '/api/work-items', {
      title: `${type} ${CANARY}`,
      description: CANARY,
      type,
      boardId,
      boardColumnId: columns.Backlog,
      metadata: { note: CANARY },
    });
    ids[type] = item.data.id;
    ids[`${type} by its task ID`] = item.data.taskId;
    await call('POST', `/api/work-items/${item.data.id}/comments`, { text: CANARY });
  }
  const user = await call<{ id: string }>('POST', '/api/users', {
    email: `${CANARY}@example.com`,
    name: CANARY,
    role: 'viewer',
  });
  ids.user = user.data.id;
  const key = await call<{ id: string }>('POST', '/api/api-keys', { name: CANARY });
  ids.key = key.data.id;
  const source = await call<{ id: string; publicKey: string }>('POST', '/api/feedback/sources', {
    name: CANARY,
    type: 'server',
    requireCaptcha: false,
  });
  ids.source = source.data.id;
  ids.feedback = await submitFeedback(source.data.publicKey);
  const webhook = await call<{ id: string }>('POST', '/api/webhooks', {
    url: `https://hooks.invalid/${CANARY}`,
    description: CANARY,
    enabled: false,
  });
  ids.webhook = webhook.data.id;
  const missing = Object.entries(ids).filter(([, id]) => !id);
  if (missing.length > 0) throw new Error(`The other organization has no ${missing.map(([kind]) => kind).join(', ')}.`);
  return ids;
}

async function submitFeedback(publicKey: string): Promise<string> {
  const bootstrap = await fetch(`${system.baseUrl}/feedback/widget/bootstrap?publicKey=${publicKey}`);
  const { data } = (await bootstrap.json()) as { data: { token: string } };
  const ingest = await fetch(`${system.baseUrl}/feedback/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey, token: data.token, message: CANARY, email: `${CANARY}@example.com` }),
  });
  return ((await ingest.json()) as { data: { id: string } }).data.id;
}

/** Everything that the other organization can see of itself. Reading it leaves no trace but the key's last use. */
async function stateOf({ call, projectId, boardId }: TestOrganization): Promise<unknown> {
  const paths = [
    `/api/projects/${projectId}`,
    `/api/boards/${boardId}`,
    '/api/work-items',
    '/api/users',
    '/api/feedback/sources',
    '/api/feedback/items',
    '/api/webhooks',
    ...['task', 'idea', 'epic'].flatMap((type) => [
      `/api/work-items/${foreignIds[type]}`,
      `/api/work-items/${foreignIds[type]}/events`,
    ]),
  ];
  const state = await Promise.all(paths.map(async (path) => (await call('GET', path)).data));
  const keys = await call<unknown>('GET', '/api/api-keys?includeRevoked=true');
  return [...state, (keys.data as { lastUsedAt: unknown }[]).map(({ lastUsedAt: _, ...key }) => key)];
}

/** What the caller itself has, so that one foreign id is the only thing wrong. */
function ownIdFor(field: string): string {
  const kinds: Record<string, string | undefined> = {
    projectId: ours.projectId,
    boardId: ours.boardId,
    boardColumnId: ours.columns.Backlog,
  };
  return kinds[field] ?? randomUUID();
}

const targets = allOperations()
  .filter((operation) => operation.rest ?? operation.mcp)
  .flatMap((operation) => idFields(operation).map((field) => [operation.name, field.name, operation, field] as const));

describe('with any id of another organization, nothing of it is seen or changed', () => {
  test.each(targets)('%s, %s', async (_operation, _field, operation, field) => {
    const expected = before;
    for (const [kind, id] of Object.entries(foreignIds)) {
      const input = { ...sampleInput(operation, ownIdFor), [field.name]: field.list ? [id] : id };
      for (const { via, status, code, text } of await sendEverywhere(operation, input, system.baseUrl, ours.apiKey)) {
        const seen = { via, kind, text };
        expect({ ...seen, leaked: text.includes(CANARY) }).toEqual({ ...seen, leaked: false });
        expect({ ...seen, fault: status >= 500 || code === 'INTERNAL' }).toEqual({ ...seen, fault: false });
      }
    }
    before = await stateOf(theirs);
    expect(before).toEqual(expected);
  });
});
