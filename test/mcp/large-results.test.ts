import { randomUUID } from 'node:crypto';
import type { Ingested } from '@worktrack/contracts/feedback/public-api';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_RESULT_BYTES } from '../../services/gateway/mcp/results/fit.ts';
import { toolCatalogue } from '../../services/gateway/mcp/tools.ts';
import { newSource, visitor } from '../feedback/visitor.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { connectMcp, type McpClient } from './connect.ts';

const TASKS = 600;
/** In one call (libs/contracts/work-items/changes/create-items.ts). */
const TASKS_OF_A_CALL = 100;
const SUBMISSIONS = 300;
const ATTACHMENTS = 40;
/** Further ones of a key wait, and not for ever (services/gateway/attachments). */
const TRANSFERS_OF_A_KEY = 8;
const SETUP_MS = 300_000;

let system: System;
let organization: TestOrganization;
let client: McpClient;
let epic: WorkItem;
let large: WorkItem;
let idea: WorkItem;
let tasks: readonly Pick<WorkItem, 'id' | 'taskId'>[];
let feedback: readonly string[];

/** Some at a time, as a client with a few connections would. */
async function many<T>(count: number, make: (i: number) => Promise<T>, together = 20): Promise<T[]> {
  const made: T[] = [];
  for (let i = 0; i < count; i += together) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(together, count - i) }, (_, j) => make(i + j)))));
  }
  return made;
}

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await organization.call<T>(method, path, body);
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}

const newItem = (fields: object) =>
  send<WorkItem>('POST', '/api/work-items', { boardId: organization.boardId, boardColumnId: 'To Do', ...fields });

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  epic = await newItem({ type: 'epic', title: 'Of many' });
  const created: Pick<WorkItem, 'id' | 'taskId'>[] = [];
  for (let first = 0; first < TASKS; first += TASKS_OF_A_CALL) {
    const { items } = await send<{ items: typeof created }>('POST', '/api/work-items/batch', {
      boardId: organization.boardId,
      boardColumnId: 'To Do',
      items: Array.from({ length: TASKS_OF_A_CALL }, (_, n) => ({
        type: 'task',
        title: `Task ${first + n} 語`.padEnd(n % 10 === 0 ? 400 : 20, '語'),
        description: `${first + n} `.padEnd(2_000, 'x'),
        parentId: epic.id,
      })),
    });
    created.push(...items);
  }
  tasks = created;
  const notes = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`key ${i}`, `value ${i}`]));
  large = await newItem({
    ...{ type: 'task', title: 'Large', parentId: epic.id, boardColumnId: 'Review', description: '語'.repeat(50_000) },
    metadata: { notes, dependsOn: tasks.slice(0, 500).map(({ taskId }) => taskId) },
  });
  await many(
    ATTACHMENTS,
    async (i) => {
      const form = new FormData();
      form.set(
        'metadata',
        JSON.stringify(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`k${n}`, `${i}`]))),
      );
      form.set('file', new File(['x'], `file ${i}.txt`));
      const response = await fetch(`${system.baseUrl}/api/work-items/${large.id}/attachments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${organization.apiKey}` },
        body: form,
      });
      if (!response.ok) throw new Error(await response.text());
    },
    TRANSFERS_OF_A_KEY,
  );
  for (let i = 0; i < 40; i++) {
    await send('POST', `/api/work-items/${large.id}/comments`, { text: `${i} `.padEnd(10_000, 'comment ') });
  }
  idea = await newItem({ type: 'idea', title: 'Wanted by many', boardColumnId: 'Backlog' });
  const source = await newSource(organization, { rateLimit: { perIp: 10_000, perSource: 10_000, windowSeconds: 60 } });
  const someone = visitor(system.baseUrl);
  const token = await someone.token(source);
  feedback = await many(SUBMISSIONS, async (i) => {
    const message = `${i} ${randomUUID()} `.padEnd(2_000, 'wanted ');
    const submitted = await someone.ingest({ publicKey: source.publicKey, token, message });
    const { id } = submitted.data as Ingested;
    await send('POST', `/api/feedback/items/${id}/links`, { workItemId: idea.id });
    return id;
  });
  await many(150, (i) => send('POST', '/api/projects', { name: `Project ${i} `.padEnd(200, '語') }));
  await many(300, (i) =>
    send('POST', `/api/work-items/${tasks[i]?.id}/ai-sessions`, { model: 'gpt-4o', totalTokens: 1_000 }),
  );
  client = await connectMcp('client 2.x, automatic', system.baseUrl, organization.apiKey, organization.projectId);
}, SETUP_MS);
afterAll(() => client?.close());

interface Result {
  readonly output: Record<string, unknown>;
  readonly bytes: number;
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<Result> {
  const { isError, content, structuredContent } = await client.call(name, args);
  const text = content[0]?.text ?? '';
  expect(isError ?? false, text).toBe(false);
  expect(JSON.parse(text)).toEqual(structuredContent);
  expect(Buffer.byteLength(text), name).toBeLessThanOrEqual(MAX_RESULT_BYTES);
  return { output: structuredContent ?? {}, bytes: Buffer.byteLength(text) };
}

/** All entries of a list, over all results that lead on. */
async function all(name: string, args: Record<string, unknown>, list: string): Promise<Record<string, unknown>[]> {
  const entries: Record<string, unknown>[] = [];
  for (let cursor: unknown; ; ) {
    const { output } = await call(name, { ...args, ...(cursor ? { cursor } : {}) });
    entries.push(...(output[list] as Record<string, unknown>[]));
    cursor = output.nextCursor;
    if (cursor === undefined || cursor === null) return entries;
  }
}

const called = new Set<string>();
/** For each tool, a call with what makes its result large, and what has to come of it. */
const CASES: Readonly<Record<string, () => Promise<void>>> = {
  list_projects: async () => {
    const projects = await all('list_projects', {}, 'projects');
    expect(new Set(projects.map(({ id }) => id)).size).toBe(151);
    expect(projects).toHaveLength(151);
  },
  get_board: async () => void (await call('get_board')),
  list_work_items: async () => {
    for (const args of [{ limit: 100 }, { limit: 100, parentId: epic.id }, { limit: 97, boardColumnId: 'to do' }]) {
      const items = await all('list_work_items', args, 'workItems');
      const ids = items.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id } of tasks) expect(ids).toContain(id);
    }
    const { output } = await call('list_work_items', { limit: 100, page: 3 });
    const rest = await send<{ workItems: WorkItem[] }>(
      'GET',
      `/api/work-items?limit=100&page=3&projectId=${organization.projectId}`,
    );
    const shown = output.workItems as WorkItem[];
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.map(({ id }) => id)).toEqual(rest.workItems.slice(0, shown.length).map(({ id }) => id));
  },
  list_for_me: async () => {
    const { items } = await send<{ items: WorkItem[] }>('POST', '/api/work-items/batch', {
      boardId: organization.boardId,
      boardColumnId: 'Review',
      items: Array.from({ length: TASKS_OF_A_CALL }, () => ({
        type: 'task',
        title: 'To be reviewed'.padEnd(400, '語'),
      })),
    });
    const shown = await all('list_for_me', { kinds: ['review'] }, 'items');
    const ids = shown.map(({ workItem }) => (workItem as WorkItem).id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of items) expect(ids).toContain(id);
  },
  get_work_item: async () => {
    const { output, bytes } = await call('get_work_item', { id: large.id });
    const whole = await send<WorkItem>('GET', `/api/work-items/${large.id}`);
    expect(whole.description).toHaveLength(50_000);
    expect(Object.keys(output)).toEqual(expect.arrayContaining(Object.keys(whole)));
    expect(output).toMatchObject({ descriptionTruncated: true, metadataTruncated: true });
    expect(bytes).toBeGreaterThan(MAX_RESULT_BYTES * 0.8);
  },
  resolve_work_items: async () => {
    const ids = tasks.slice(0, 500).map(({ id }) => id);
    const items = await all('resolve_work_items', { ids }, 'items');
    expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(items.filter(({ descriptionTruncated }) => descriptionTruncated === true).length).toBeGreaterThan(400);
    expect(await all('resolve_work_items', { ids: [epic.taskId] }, 'items')).toHaveLength(TASKS + 1);
    const unknown = Array.from({ length: 500 }, (_, i) => `${i} `.padEnd(150, '語'));
    expect(await all('resolve_work_items', { ids: unknown }, 'notFound')).toEqual(unknown);
  },
  get_work_item_events: async () => {
    const events = await all('get_work_item_events', { workItemId: large.id, limit: 200 }, 'events');
    expect(events).toHaveLength(1 + ATTACHMENTS + 40);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  },
  get_implement_context: async () => {
    const planned = await all('get_implement_context', { ids: [epic.id] }, 'tasks');
    expect(new Set(planned.map(({ id }) => id)).size).toBe(TASKS + 1);
    expect(planned).toHaveLength(TASKS + 1);
  },
  get_review_context: async () => {
    const siblings = await all('get_review_context', { taskId: large.taskId }, 'siblings');
    expect(siblings.map(({ taskId }) => taskId).toSorted()).toEqual(tasks.map(({ taskId }) => taskId).toSorted());
    const attachments = await all('get_review_context', { taskId: large.taskId }, 'attachments');
    expect(attachments).toHaveLength(ATTACHMENTS);
    for (const attachment of attachments) expect(attachment).toMatchObject({ metadataTruncated: true });
  },
  get_validate_context: async () => {
    const skipped = await all('get_validate_context', { ids: [epic.id] }, 'skipped');
    expect(skipped).toHaveLength(TASKS);
  },
  get_ideation_context: async () => {
    const items = await all('get_ideation_context', { keywords: ['task'], limit: 50 }, 'items');
    expect(items).toHaveLength(50);
  },
  get_ai_usage: async () => {
    const groups = await all('get_ai_usage', { groupBy: 'workItem' }, 'groups');
    expect(groups).toHaveLength(300);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(300);
  },
  list_feedback: async () => {
    const items = await all('list_feedback', { limit: 100 }, 'items');
    expect(items.map(({ id }) => id).toSorted()).toEqual(feedback.toSorted());
  },
  get_work_item_trace: async () => {
    const linked = await all('get_work_item_trace', { id: idea.id }, 'feedback');
    expect(linked.map(({ id }) => id).toSorted()).toEqual(feedback.toSorted());
    const { output } = await call('get_work_item_trace', { id: idea.id });
    expect((output.feedback as object[])[0]).toMatchObject({ untrustedText: { messageTruncated: true } });
    expect(await all('get_work_item_trace', { id: epic.id }, 'descendants')).toHaveLength(TASKS + 1);
    expect(await all('get_work_item_trace', { id: epic.id }, 'sessions')).toHaveLength(300);
  },
  update_work_item: async () => {
    const { output } = await call('update_work_item', { id: large.id, priority: 'high' });
    expect(output).toMatchObject({ priority: 'high', metadataTruncated: true });
    const stale = await client.call('update_work_item', { id: large.id, priority: 'low', version: 1 });
    expect(stale.isError).toBe(true);
    const text = stale.content[0]?.text ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'CONFLICT', current: { priority: 'high', metadataTruncated: true } },
    });
  },
  move_work_item: async () => void (await call('move_work_item', { workItemId: large.id, boardColumnId: 'To Do' })),
  batch_move_work_items: async () => {
    const workItemIds = tasks.slice(0, 500).map(({ id }) => id);
    const { output } = await call('batch_move_work_items', { workItemIds, boardColumnId: 'Backlog' });
    expect(output).toMatchObject({ movedCount: 500, truncated: true, counts: { items: 500, skipped: 0 } });
    const missing = Array.from({ length: 500 }, () => randomUUID());
    const none = await call('batch_move_work_items', { workItemIds: missing, boardColumnId: 'Backlog' });
    expect(none.output).toMatchObject({ movedCount: 0, counts: { items: 0, skipped: 500 } });
  },
  claim_work_item: async () => {
    const free = await newItem({
      type: 'task',
      title: 'Free',
      description: '語'.repeat(50_000),
      metadata: large.metadata && { notes: large.metadata.notes },
    });
    const { output } = await call('claim_work_item', { ids: [free.id], agent: 'one' });
    expect(output).toMatchObject({ claimed: true, workItem: { descriptionTruncated: true, metadataTruncated: true } });
    const leaseToken = (output.lease as { token: string }).token;
    const released = await call('release_work_item', { workItemId: free.id, leaseToken });
    expect(released.output).toMatchObject({ released: true, workItem: { metadataTruncated: true } });
    called.add('release_work_item');
  },
  report_progress: async () => {
    const asked = await newItem({ type: 'task', title: 'Asked about' });
    const { output } = await call('claim_work_item', { ids: [asked.id], agent: 'one' });
    const leaseToken = (output.lease as { token: string }).token;
    const { data: key } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Of a person' });
    for (let i = 0; i < 20; i++) {
      const comment = { text: `${i} `.padEnd(10_000, '語') };
      const path = `/api/work-items/${asked.id}/comments`;
      const { status } = await organization.call('POST', path, comment, { authorization: `Bearer ${key.key}` });
      expect(status).toBe(201);
    }
    // None of them is left out, because each is delivered only once.
    const heard = await call('report_progress', { workItemId: asked.id, leaseToken });
    const answers = heard.output.answers as { text: string; textTruncated?: true }[];
    expect(answers.map(({ text }) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(answers.every(({ textTruncated }) => textTruncated)).toBe(true);
  },
  create_work_item: async () => {
    const given = {
      title: 'New',
      type: 'task',
      boardId: organization.boardId,
      boardColumnId: 'To Do',
      description: 'x'.repeat(50_000),
    };
    const { output } = await call('create_work_item', given);
    expect(output).toMatchObject({ descriptionTruncated: true });
    for (const name of ['create_task', 'create_story', 'create_feature', 'create_epic']) {
      await call(name, { title: 'New', description: 'x'.repeat(50_000) });
      called.add(name);
    }
  },
  add_work_item_comment: async () => {
    const { output } = await call('add_work_item_comment', { workItemId: large.id, text: '語'.repeat(10_000) });
    expect(output).toMatchObject({ event: { eventType: 'comment' } });
  },
  generate_work_item_prompt: async () => {
    const { id } = await newItem({ type: 'task', title: 'To be done', description: '語'.repeat(50_000) });
    expect((await call('generate_work_item_prompt', { id })).output).toMatchObject({ promptTruncated: true });
    expect((await call('get_work_item_prompt', { id })).output).toMatchObject({ promptTruncated: true });
    called.add('get_work_item_prompt');
  },
  read_work_item_attachment: async () => {
    const form = new FormData();
    form.set('file', new Blob(['語'.repeat(100_000)], { type: 'text/plain' }), 'large.txt');
    const headers = { authorization: `Bearer ${organization.apiKey}` };
    const { id: workItemId } = await newItem({ type: 'task', title: 'With a large file' });
    const url = `${system.baseUrl}/api/work-items/${workItemId}/attachments`;
    expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);
    const { output } = await call('read_work_item_attachment', { workItemId, fileName: 'large.txt' });
    expect(output).toMatchObject({ sizeBytes: 300_000, shownBytes: 37_998 });
  },
  complete_review: async () => {
    const issues = Array.from({ length: 500 }, (_, i) => `${i}`.padEnd(80, 'x'));
    await call('complete_review', { workItemId: tasks[550]?.id, result: 'fail', summary: 'No', issues });
    const { output } = await call('get_review_context', { taskId: tasks[550]?.taskId });
    expect(output).toMatchObject({ latestReview: { result: 'fail' } });
  },
};

describe('no result is larger than fits a context, and one that ends early leads on to all the rest', () => {
  test.each(Object.entries(CASES))('%s', async (name, run) => {
    called.add(name);
    await run();
  });

  test('and no other tool reads', () => {
    const tools = toolCatalogue().visibleTo({ permissions: PERMISSIONS });
    const reading = tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
    expect(reading.filter((name) => !called.has(name))).toEqual([]);
  });
});
