import { randomUUID } from 'node:crypto';
import type { Attachment } from '@worktrack/contracts/attachments/attachment';
import type { Ingested } from '@worktrack/contracts/feedback/public-api';
import type { Project } from '@worktrack/contracts/projects/project';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { beforeAll, expect, test } from 'vitest';
import { newSource, visitor } from '../feedback/visitor.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

/** The maximum size of an answer over RPC: beyond it there was a 500, and again with every repetition. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Three bytes in UTF-8, one unit of UTF-16, in which texts are counted. */
const WIDE = '語';

/** Hundreds of submissions and links, on a machine that may have other work. */
const SUBMITTING_MS = 300_000;

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

/** This many at a time, as a client with a few connections would. */
async function many<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let i = 0; i < count; i += 10) {
    const next = Array.from({ length: Math.min(10, count - i) }, (_, j) => make(i + j));
    made.push(...(await Promise.all(next)));
  }
  return made;
}

async function newItem(fields: object): Promise<WorkItem> {
  const answer = await organization.call<WorkItem>('POST', '/api/work-items', {
    boardId: organization.boardId,
    boardColumnId: organization.columns.Testing,
    ...fields,
  });
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}

async function read<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await organization.call<T>(method, path, body);
  expect(answer).toMatchObject({ status: 200 });
  expect(Buffer.byteLength(JSON.stringify(answer.data))).toBeLessThan(MAX_ANSWER_BYTES);
  return answer.data;
}

async function attach(item: WorkItem, i: number, metadata: object) {
  const form = new FormData();
  form.set('metadata', JSON.stringify(metadata));
  form.set('file', new File(['x'], `file ${i}.txt`));
  const response = await fetch(`${system.baseUrl}/api/work-items/${item.id}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${organization.apiKey}` },
    body: form,
  });
  return { status: response.status, answer: (await response.json()) as { data: Attachment; error?: object } };
}

test('an attachment has at most 16 KiB of metadata', async () => {
  const item = await newItem({ type: 'task', title: 'With files' });
  const { status, answer } = await attach(item, 0, { text: 'x'.repeat(255 * 1024) });
  expect({ status, error: answer.error }).toMatchObject({
    status: 400,
    error: { code: 'VALIDATION_FAILED', details: [{ path: 'metadata', message: expect.stringContaining('16 KiB') }] },
  });
  expect((await attach(item, 0, { text: 'x'.repeat(16 * 1024 - 20) })).status).toBe(201);
});

test('the validation context of 60 tasks under stories with long descriptions says how many there are', async () => {
  const tasks = await many(60, async (i) => {
    const story = await newItem({ type: 'story', title: `Story ${i}`, description: WIDE.repeat(50_000) });
    return newItem({ type: 'task', title: `Task ${i}`, parentId: story.id });
  });
  const context = await read('POST', '/api/context/validate', { ids: tasks.map(({ taskId }) => taskId) });
  expect(context).toMatchObject({ truncated: true, counts: { testable: 60, parents: 60, reviewable: 0, skipped: 0 } });
  expect(context.testable).toHaveLength(60);
  expect((context.parents as object[]).length).toBeGreaterThan(30);
  const few = await read('POST', '/api/context/validate', { ids: [tasks[0]?.taskId] });
  expect(few).not.toHaveProperty('truncated');
});

test('25 projects as long as projects may be can all be reached with the cursor', async () => {
  const names = Array.from({ length: 100 }, () => WIDE.repeat(500));
  const made = await many(25, async (i) => {
    const project = { name: `Large ${i}`, description: WIDE.repeat(20_000), techStack: names, repositories: names };
    const { data, status } = await organization.call<Project>('POST', '/api/projects', project);
    expect(status).toBe(201);
    return data.id;
  });
  interface Page {
    readonly projects: Project[];
    readonly nextCursor: string | null;
    readonly truncated?: true;
    readonly pagination: object;
  }
  const first = await read<Page>('GET', '/api/projects');
  // Including the one that every organization of a test has.
  expect(first).toMatchObject({ truncated: true, pagination: { limit: 50, total: 26, totalPages: 1 } });
  const seen = first.projects.map(({ id }) => id);
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const page = await read<Page>('GET', `/api/projects?cursor=${cursor}`);
    seen.push(...page.projects.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen.toSorted()).toEqual([...made, organization.projectId].toSorted());
});

test(
  'a trace of more feedback than one answer can hold says how much there is',
  async () => {
    const source = await newSource(organization, {
      rateLimit: { perIp: 10_000, perSource: 10_000, windowSeconds: 60 },
    });
    const idea = await newItem({ type: 'idea', title: 'Wanted by many' });
    const someone = visitor(system.baseUrl);
    const token = await someone.token(source);
    await many(340, async (i) => {
      const message = `${i} ${randomUUID()} `.padEnd(100, '.') + '\u{1F642}'.repeat(4_900);
      const submitted = await someone.ingest({ publicKey: source.publicKey, token, message });
      expect(submitted.status).toBe(201);
      const { id } = submitted.data as Ingested;
      const linked = await organization.call('POST', `/api/feedback/items/${id}/links`, { workItemId: idea.id });
      expect(linked.status).toBe(200);
    });
    const trace = await read('GET', `/api/work-items/${idea.id}/trace`);
    expect(trace).toMatchObject({ truncated: true, counts: { feedback: 340, descendants: 0, sessions: 0 } });
    expect((trace.feedback as object[]).length).toBeGreaterThan(250);
  },
  SUBMITTING_MS,
);
