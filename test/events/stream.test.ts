import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { StreamReader } from '../support/event-stream.ts';
import { caller, type TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { endOfLog } from './end-of-log.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
});
beforeEach(async () => {
  organization = await system.newOrganization();
});

const readers: StreamReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.leave();
});

async function listen(query = '', headers?: Record<string, string>, apiKey = organization.apiKey) {
  const reader = await StreamReader.open(system.baseUrl, apiKey, query, headers);
  readers.push(reader);
  return reader;
}

async function createItem(title: string): Promise<{ id: string; taskId: string }> {
  const { boardId, columns, call } = organization;
  const body = { title, type: 'task', boardId, boardColumnId: columns['To Do'] };
  return (await call<{ id: string; taskId: string }>('POST', '/api/work-items', body)).data;
}

const end = () => endOfLog(organization);

async function newKey(permissions: readonly string[]): Promise<{ id: string; key: string }> {
  return (
    await organization.call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'Listener', permissions })
  ).data;
}

const seqs = (events: readonly LoggedEvent[]) => events.map(({ seq }) => seq);

test('a stream without a place begins now: it says where, and what happens from there on, in order and without a gap', async () => {
  await end();
  const reader = await listen();
  await expect.poll(() => reader.frames[0]).toMatchObject({ event: 'listening' });
  const from = Number(reader.frames[0]?.id);
  const items = await Promise.all(Array.from({ length: 10 }, (_, i) => createItem(`Item ${i}`)));
  const created = () => reader.events.filter(({ type }) => type === 'work_item.created');
  await expect.poll(() => created().length).toBe(10);
  expect(new Set(created().map(({ subject }) => subject.id))).toEqual(new Set(items.map(({ id }) => id)));
  expect(seqs(reader.events)).toEqual(reader.events.map((_, i) => from + 1 + i));
  expect(reader.frames.map(({ id, event }) => [id, event]).slice(1)).toEqual(
    reader.events.map(({ seq, type }) => [String(seq), type]),
  );
});

test('a client that reconnects with Last-Event-ID gets what it missed, whatever its address says, and nothing twice', async () => {
  const from = await end();
  const first = await listen(`?after=${from}`);
  await createItem('Seen');
  await expect.poll(() => first.events.length).toBeGreaterThan(0);
  first.leave();
  await first.ended;
  for (let i = 0; i < 70; i++) await createItem(`Missed ${i}`);
  const second = await listen('?after=0', { 'last-event-id': String(first.lastId) });
  await createItem('After');
  await expect
    .poll(() => second.events.filter(({ type }) => type === 'work_item.created').length)
    .toBeGreaterThanOrEqual(71);
  const all = seqs([...first.events, ...second.events]);
  expect(all).toEqual(all.map((_, i) => from + 1 + i));
});

test('a stream from the beginning contains everything in the log', async () => {
  const to = await end();
  const reader = await listen('?after=0');
  await expect.poll(() => reader.events.length).toBeGreaterThanOrEqual(to);
  expect(seqs(reader.events)).toEqual(reader.events.map((_, i) => i + 1));
});

test('filters are those of the list', async () => {
  const from = await end();
  const item = await createItem('The one');
  const other = await createItem('Another');
  const moves = await listen(`?after=${from}&types=work_item.moved`);
  const one = await listen(`?after=${from}&workItemId=${item.taskId.toLowerCase()}`);
  const none = await listen(`?after=${from}&projectId=${item.id}`);
  for (const { id } of [item, other]) {
    await organization.call('POST', `/api/work-items/${id}/move`, {
      boardColumnId: organization.columns['In Progress'],
    });
  }
  await expect.poll(() => moves.events.map(({ subject }) => subject.id)).toEqual([item.id, other.id]);
  await expect.poll(() => one.events.map(({ type }) => type)).toContain('work_item.moved');
  expect(new Set(one.events.map(({ subject }) => subject.id))).toEqual(new Set([item.id]));
  expect(none.events).toEqual([]);
});

test('a place that the log does not have is 410, and an invalid place or filter is 400, before the stream begins', async () => {
  const { call } = organization;
  const status = async (query: string, headers?: Record<string, string>) => {
    const answer = await call('GET', `/api/events/stream${query}`, undefined, headers);
    return [answer.status, answer.error.code];
  };
  expect(await status('?after=1000000')).toEqual([410, 'CURSOR_EXPIRED']);
  expect(await status('?after=-1')).toEqual([400, 'VALIDATION_FAILED']);
  expect(await status('?types=work_items.*')).toEqual([400, 'VALIDATION_FAILED']);
  expect(await status('?limit=5')).toEqual([400, 'VALIDATION_FAILED']);
  expect(await status('', { 'last-event-id': 'abc' })).toEqual([400, 'VALIDATION_FAILED']);
  const { error } = await call(
    'GET',
    '/api/events/stream?after=1&after=2&types=project.*&types=user.*&limit=5&limit=6',
  );
  expect(error.details?.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'after is given 2 times; give it once',
    'types is given 2 times; give it once',
    expect.stringMatching(/^limit is not a known field; /),
  ]);
  expect((await fetch(`${system.baseUrl}/api/events/stream`)).status).toBe(401);
});

test('each key is sent what its permissions let it read, and nothing of another organization', async () => {
  const from = await end();
  const other = await system.newOrganization();
  const stranger = await StreamReader.open(system.baseUrl, other.apiKey);
  readers.push(stranger);
  const limited = await newKey(['work-items:read']);
  const owner = await listen(`?after=${from}`);
  const reader = await listen(`?after=${from}`, {}, limited.key);
  await newKey(['feedback:read']);
  const item = await createItem('Seen by both');
  const isSeenBy = (by: StreamReader) => by.events.some(({ subject }) => subject.id === item.id);
  await expect.poll(() => isSeenBy(owner) && isSeenBy(reader)).toBe(true);
  expect(owner.events.map(({ type }) => type)).toContain('key.created');
  expect(new Set(reader.events.map(({ subject }) => subject.kind))).toEqual(new Set(['work_item']));
  expect(stranger.events.filter(({ subject }) => subject.id === item.id)).toEqual([]);
});

/** An agent with a lease that sends heartbeats, as the service acknowledges it. */
async function startAgent(title: string) {
  const { id, taskId } = await createItem(title);
  const claim = { ids: [id], agent: 'agent 7' };
  const { lease } = (await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim))
    .data;
  return {
    id,
    taskId,
    async beat(note: string) {
      const answer = await organization.call('POST', `/api/work-items/${id}/progress`, {
        leaseToken: lease.token,
        note,
      });
      expect(answer.status).toBe(200);
    },
  };
}
const beatsOf = (reader: StreamReader) =>
  reader.frames.filter(({ event }) => event === 'beat').map(({ id, data }) => ({ id, ...(data as Beat) }));

test('a heartbeat is sent on each stream whose filters and key include changes of its lease, and no stream resumes from it', async () => {
  const from = await end();
  const [agent, other] = [await startAgent('Beating'), await startAgent('Beating too')];
  const outsider = await newKey(['projects:read']);
  const [all, progress, moves, one, unseen] = await Promise.all([
    listen(`?after=${from}`),
    listen(`?after=${from}&types=work_item.progress`),
    listen(`?after=${from}&types=work_item.moved,project.*`),
    listen(`?after=${from}&workItemId=${other.taskId}`),
    listen(`?after=${from}`, {}, outsider.key),
  ]);
  await agent.beat('Half of it');
  await expect.poll(() => beatsOf(all)).toHaveLength(1);
  await other.beat('All of it');
  await expect.poll(() => beatsOf(all)).toHaveLength(2);
  const { lease } = (await organization.call<{ lease: object }>('GET', `/api/work-items/${agent.id}`)).data;
  const { projectId } = organization;
  const told = { id: undefined, workItemId: agent.id, taskId: agent.taskId, projectId, lease };
  expect(beatsOf(all)[0]).toEqual(told);
  await expect.poll(() => beatsOf(progress).map(({ taskId }) => taskId)).toEqual([agent.taskId, other.taskId]);
  await expect.poll(() => beatsOf(one).map(({ lease: { note } }) => note)).toEqual(['All of it']);
  // What comes later has arrived on all of them.
  await organization.call('PATCH', `/api/projects/${projectId}`, { name: 'Renamed' });
  const hasName = (by: StreamReader) => by.events.some(({ type }) => type === 'project.updated');
  await expect.poll(() => hasName(moves) && hasName(unseen)).toBe(true);
  expect([...beatsOf(moves), ...beatsOf(unseen)]).toEqual([]);
  const again = await listen(`?after=${from}`);
  await expect.poll(() => again.events.length).toBe(all.events.length);
  expect(beatsOf(again)).toEqual([]);
});

test('of the heartbeats of one item at most one a second is sent, the newest', async () => {
  const agent = await startAgent('Beating fast');
  const reader = await listen();
  const beganAtMs = performance.now();
  for (let i = 1; i <= 20; i++) await agent.beat(`Step ${i}`);
  const notes = () => beatsOf(reader).map(({ lease: { note } }) => note);
  await expect.poll(() => notes().at(-1)).toBe('Step 20');
  const seconds = (performance.now() - beganAtMs) / 1_000;
  expect(notes().length).toBeLessThanOrEqual(1 + Math.floor(seconds * 1.01));
});

test('nothing is sent of what happens in a project after its user was limited to others, however fresh the last look at the user', async () => {
  const { call, projectId } = organization;
  const { data: second } = await call<{ id: string; defaultBoardId: string }>('POST', '/api/projects', { name: 'B' });
  const board = await call<{ columns: { id: string }[] }>('GET', `/api/boards/${second.defaultBoardId}`);
  const there = { type: 'task', boardId: second.defaultBoardId, boardColumnId: board.data.columns[0]?.id };
  const createThere = async () =>
    (await call<{ id: string }>('POST', '/api/work-items', { title: 'There', ...there })).data.id;
  const user = await organization.newUser();
  for (let round = 0; round < 5; round++) {
    await call('PATCH', `/api/users/${user.id}`, { projects: null });
    const reader = await listen('', {}, user.key);
    const isSeen = (id: string) => reader.events.some(({ subject }) => subject.id === id);
    const before = await createThere();
    await expect.poll(() => isSeen(before), { interval: 5 }).toBe(true);
    await call('PATCH', `/api/users/${user.id}`, { projects: [projectId] });
    const [after, { id: here }] = await Promise.all([createThere(), createItem('Here')]);
    await expect.poll(() => isSeen(here), { interval: 5 }).toBe(true);
    expect(isSeen(after)).toBe(false);
    reader.leave();
  }
});

test('a stream ends at once when its key is revoked, and says so', async () => {
  const { id, key } = await newKey(['work-items:read']);
  const reader = await listen('', {}, key);
  await organization.call('DELETE', `/api/api-keys/${id}`);
  const outcome = await Promise.race([reader.ended.then(() => 'ended'), sleep(5_000, 'open', { ref: false })]);
  expect(outcome).toBe('ended');
  expect(reader.frames.at(-1)).toMatchObject({ event: 'refused', id: undefined });
  await expect(listen('', {}, key)).rejects.toThrow(/^Error: 401|^401/);
});

test('a key has 20 streams at once: the next is 429, and there is a place again once one has ended', async () => {
  const { key } = await newKey(['work-items:read']);
  const open = await Promise.all(Array.from({ length: 20 }, () => listen('', {}, key)));
  const refused = await caller(system.baseUrl, key)('GET', '/api/events/stream');
  expect([refused.status, refused.error.code]).toEqual([429, 'RATE_LIMITED']);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  // Another key has its own limit.
  await listen();
  open[0]?.leave();
  await expect
    .poll(() =>
      listen('', {}, key).then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open');
});

test('open streams keep no other call of their key waiting', async () => {
  await Promise.all(Array.from({ length: 20 }, () => listen()));
  expect((await organization.call('GET', '/api/me')).status).toBe(200);
});

test('a stream that resumes names no user who was erased meanwhile, whoever else listens', async () => {
  const name = `Grace ${randomUUID()}`;
  const { call } = organization;
  const from = await end();
  const listening = await listen();
  const user = { email: `${randomUUID()}@example.com`, name, role: 'member' };
  const { id } = (await call<{ id: string }>('POST', '/api/users', user)).data;
  await call('PATCH', `/api/users/${id}`, { disabled: true });
  await call('POST', `/api/users/${id}/erase`);
  await expect.poll(() => listening.events.at(-1)?.type).toBe('user.erased');
  const inLog = async () => JSON.stringify((await call('GET', `/api/events?after=${from}`)).data);
  await expect.poll(inLog).not.toContain(name);

  const resuming = await listen(`?after=${from}`);
  await expect.poll(() => resuming.events.at(-1)?.type).toBe('user.erased');
  expect(JSON.stringify(listening.events)).toContain(name);
  expect(JSON.stringify(resuming.events)).not.toContain(name);
});
