import { allOperations } from '@worktrack/contracts/catalogue';
import { SORT_KEYS } from '@worktrack/contracts/work-items/lists/list-filters';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newSource, visitor } from '../feedback/visitor.ts';
import { AppServer, connectApp } from '../support/app.ts';
import { signIn } from '../support/browser-request.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { Endpoint } from '../support/webhook-endpoint.ts';

/** Rows of each list, made at the same moment. Not a multiple of a page, so the last one is not full. */
const ROWS = 7;
const PAGE_SIZES = [1, 3];
/** Of the five documents of apps that are fetched at once for one address (services/keys/clients/clients.ts): other files connect some meanwhile. */
const DOCUMENTS_AT_ONCE = 2;

const ORDERS = SORT_KEYS.flatMap((key) => [`sort=${key}`, `sort=-${key}`]);
const DIRECTIONS = ['', ...ORDERS, 'search=moment', 'type=task&assignee=Ada'];

/** Every list that is read page by page: by operation, its address, and each way in which it can be read. `:board` and the like are what was made. */
const LISTS: Readonly<Record<string, readonly [path: string, queries: readonly string[]]>> = {
  'projects.list': ['/api/projects', ['']],
  'views.list': ['/api/views', ['']],
  'boards.cards': ['/api/boards/:board/cards', ['', 'boardColumnId=Backlog', 'search=moment', 'type=task']],
  'projects.cards': [
    '/api/projects/:project/cards',
    ['boardColumnId=Backlog', 'groupBy=type&group=task', ...DIRECTIONS],
  ],
  'workItems.list': ['/api/work-items', ['parentId=:parent', 'boardId=:board&boardColumnId=Backlog', ...DIRECTIONS]],
  'workItems.events': ['/api/work-items/:parent/events', ['', 'eventType=comment']],
  'attachments.list': ['/api/work-items/:parent/attachments', ['']],
  'feedback.list': ['/api/feedback/items', ['', 'search=moment']],
  'forYou.list': ['/api/for-you', ['', 'kinds=review', 'kinds=assigned']],
  'grants.list': ['/api/grants', ['', 'all=true']],
  'sessions.list': ['/api/sessions', ['']],
  'events.list': ['/api/events', ['after=0&types=work_item.created']],
  'webhooks.deliveries': ['/api/webhooks/:webhook/deliveries', ['', 'state=delivered']],
  'audit.list': ['/api/audit', ['action=keys.create', 'action=keys.create&after=0']],
};
/** Heads: there is at most one each minute. Notifications are made later, of what others do: services/events/notifications. */
const NOT_AT_ONE_MOMENT = ['audit.heads', 'notifications.list'];

let system: System;
let organization: TestOrganization;
let apps: AppServer;
let endpoint: Endpoint;
const made: Record<string, string> = {};

const each = <T>(make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: ROWS }, (_, n) => make(n)));

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  [apps, endpoint] = await Promise.all([AppServer.start(), Endpoint.start()]);
  const { call, apiKey, boardId, projectId, userId } = organization;
  const make = async (path: string, body: object) => {
    const { success, data, error } = await call<{ id: string; items: { id: string }[] }>('POST', path, body);
    if (!success) throw new Error(`${path}: ${error.message}`);
    return data;
  };
  const webhook = await make('/api/webhooks', { url: endpoint.url, types: ['work_item.created'] });
  const parent = await make('/api/work-items', {
    title: 'Above them',
    type: 'story',
    boardId,
    boardColumnId: 'Backlog',
  });
  Object.assign(made, { board: boardId, project: projectId, webhook: webhook.id, parent: parent.id });
  // In one transaction: they share their time, and the first part of their ids.
  const common = { type: 'task', parentId: parent.id };
  const tasks = (fields: object) =>
    Array.from({ length: ROWS }, () => ({ title: 'Of one moment', ...common, ...fields }));
  await make('/api/work-items/batch', { boardId, items: tasks({ boardColumnId: 'Backlog', assignee: 'Ada' }) });
  await make('/api/work-items/batch', { boardId, items: tasks({ boardColumnId: 'Review', assignee: userId }) });
  const source = await newSource(organization, { rateLimit: { perIp: 100, perSource: 100, windowSeconds: 60 } });
  const cookie = await signIn(system.baseUrl, { apiKey });
  const clientIds = Array.from({ length: ROWS }, () => apps.publish());
  await each((n) => make('/api/projects', { name: `Project ${n}`, key: `P${String.fromCharCode(65 + n)}` }));
  await each((n) => make('/api/views', { name: `View ${n}`, projectId }));
  await each((n) => make('/api/api-keys', { name: `Key ${n}` }));
  await each(() => visitor(system.baseUrl).submit(source, { message: `In a moment ${Math.random()}` }));
  await each(() => signIn(system.baseUrl, { apiKey }));
  await each((n) => make(`/api/work-items/${parent.id}/comments`, { text: `In a moment ${n}` }));
  for (let first = 0; first < ROWS; first += DOCUMENTS_AT_ONCE) {
    const some = clientIds.slice(first, first + DOCUMENTS_AT_ONCE);
    await Promise.all(some.map((clientId) => connectApp(system.baseUrl, cookie, clientId)));
  }
  await each(async (n) => {
    const form = new FormData();
    form.set('uploadedBy', 'Ada');
    form.set('file', new Blob(['text']), `${n}.txt`);
    const body = { method: 'POST', headers: { authorization: `Bearer ${apiKey}` }, body: form };
    expect((await fetch(`${system.baseUrl}/api/work-items/${parent.id}/attachments`, body)).status).toBe(201);
  });
  // What is told of them arrives a little later, in two logs.
  for (const [path, rows] of [
    [`/api/webhooks/${webhook.id}/deliveries?state=delivered`, 2 * ROWS + 1],
    ['/api/audit?action=keys.create', ROWS],
  ] as const) {
    const arrived = async () => expect(rowsOf((await call('GET', path)).data)).toHaveLength(rows);
    await vi.waitFor(arrived, { timeout: 20_000, interval: 100 });
  }
});
afterAll(async () => {
  await apps?.stop();
  await endpoint?.stop();
});

type Row = { readonly id?: string; readonly seq?: number; readonly kind?: string };

const rowsOf = (data: object): Row[] => (Array.isArray(data) ? data : (Object.values(data).find(Array.isArray) ?? []));

/** How the page after this one is asked for. */
function next(data: object & { nextCursor?: string | null; nextSeq?: number }, rows: readonly Row[]): string | null {
  if (data.nextCursor !== undefined) return data.nextCursor && `cursor=${encodeURIComponent(data.nextCursor)}`;
  if (rows.length === 0) return null;
  return `after=${data.nextSeq ?? rows.at(-1)?.id}`;
}

async function read(address: string, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let more: string | null = ''; more !== null; ) {
    const query = new URLSearchParams(`${new URL(address, system.baseUrl).search}&limit=${limit}`);
    for (const [name, value] of new URLSearchParams(more)) query.set(name, value);
    const { data, error } = await organization.call('GET', `${address.split('?')[0]}?${query}`);
    if (error) throw new Error(`${address}: ${error.message}`);
    const rows = rowsOf(data);
    expect(rows.length).toBeLessThanOrEqual(limit);
    seen.push(...rows.map(({ kind, id, seq }) => [kind, id ?? seq].join(' ')));
    more = next(data, rows);
  }
  return seen;
}

test('the table has every list that is read page by page', () => {
  const paged = allOperations().filter(({ rest, effect, input }) => {
    const fields = Object.keys((input as unknown as { readonly shape: object }).shape);
    return (
      rest && effect === 'read' && fields.includes('limit') && (fields.includes('cursor') || fields.includes('after'))
    );
  });
  expect(paged.map(({ name }) => name).toSorted()).toEqual([...Object.keys(LISTS), ...NOT_AT_ONE_MOMENT].toSorted());
});

const readings = Object.entries(LISTS).flatMap(([name, [path, queries]]) =>
  queries.map((query) => [name, query, path]),
);

test.each(readings)('%s?%s has each row of one moment once, in pages of any size', async (_name, query, path) => {
  const address = `${path}?${query}`.replace(/:(\w+)/g, (_, name) => made[name] as string);
  const whole = await read(address, 100);
  expect(whole.length).toBeGreaterThanOrEqual(ROWS);
  expect(new Set(whole).size).toBe(whole.length);
  for (const limit of PAGE_SIZES) expect(await read(address, limit)).toEqual(whole);
});
