import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { settleEndedLeases } from './settle.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
afterEach(() => void vi.useRealTimers());

type Input = Parameters<typeof call<'workItems.claim'>>[2];
const claim = (fields: Partial<Input> = {}) =>
  call(project.caller, 'workItems.claim', { agent: 'agent', leaseSeconds: 60, ...fields });
const release = (workItemId: string, leaseToken = '', boardColumnId?: string) =>
  call(project.caller, 'workItems.release', { workItemId, leaseToken, boardColumnId });
const fail = (workItemId: string) =>
  call(project.caller, 'workItems.completeReview', { workItemId, result: 'fail', summary: 'Mend it' });
const started = (fields: object = {}) => project.create('task', { column: 'In Progress', ...fields });

/** The ways in which a task comes to be in `In Progress` with nobody at work on it. @returns its id */
const WAYS: Readonly<Record<string, () => Promise<string>>> = {
  'created there': async () => (await started()).id,
  'moved there by hand': async () => {
    const { id } = await project.create('task');
    await project.move(id, 'In Progress');
    return id;
  },
  'released there': async () => {
    const { id } = await project.create('task');
    await release(id, (await claim()).lease?.token, 'In Progress');
    return id;
  },
  'returned, and then moved within its column': async () => {
    const { id } = await project.create('task', { column: 'Review', assignee: 'Ada' });
    await fail(id);
    await project.move(id, 'In Progress', { position: 'first' });
    return id;
  },
  'a story before': async () => {
    const { id } = await project.create('story', { column: 'In Progress' });
    await project.update(id, { type: 'task' });
    return id;
  },
  'the parent of a task that was deleted': async () => {
    const { id } = await started();
    const child = await project.create('task', { parentId: id });
    await call(project.caller, 'workItems.delete', { id: child.id });
    return id;
  },
  unassigned: async () => {
    const { id } = await started({ assignee: 'Ada' });
    await project.update(id, { assignee: null });
    return id;
  },
  "assigned to a name that is nobody's": async () => {
    const assigned = { title: 'Nobody has it', type: 'task', assignee: 'a bot', boardColumnId: 'In Progress' } as const;
    const caller = { ...project.caller, people: [] };
    return (await call(caller, 'workItems.create', { boardId: project.board.id, ...assigned })).id;
  },
  'reopened after an agent was done with it': async () => {
    const { id } = await project.create('task');
    await claim();
    await project.move(id, 'Done');
    await project.move(id, 'In Progress');
    return id;
  },
};

describe('a task in In Progress that nobody holds can be claimed', () => {
  describe.each(Object.entries(WAYS))('%s', (_, strand) => {
    test.each(['of its project', 'by its id'])('%s', async (how) => {
      const id = await strand();
      const answer = await claim(how === 'by its id' ? { ids: [id] } : {});
      expect(answer).toMatchObject({ claimed: true, workItem: { id, isAiProcessing: true } });
      expect((await claim(how === 'by its id' ? { ids: [id] } : {})).claimed).toBe(false);
    });
  });

  test('after the pending ones of its priority', async () => {
    const { id } = await started();
    const pending = await project.create('task');
    const urgent = await started({ priority: 'urgent' });
    const taken = [await claim(), await claim(), await claim()];
    expect(taken.map(({ workItem }) => workItem?.id)).toEqual([urgent.id, pending.id, id]);
  });
});

test('a task in In Progress is held by the person that it is assigned to, also after a lease', async () => {
  const { id } = await started({ assignee: 'Ada' });
  expect(await claim()).toMatchObject({ claimed: false });
  expect(await claim({ ids: [id] })).toMatchObject({ claimed: false });
  const other = await project.create('task');
  await claim();
  await project.update(other.id, { assignee: 'Grace' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  expect(await claim()).toMatchObject({ claimed: false });
  expect(await claim({ ids: [other.id] })).toMatchObject({ claimed: false });
});

test('a task in a column without a role is claimed by nobody, and who asks for it learns what to change', async () => {
  const columns = [...project.board.columns.map(({ id, name }) => ({ id, name })), { name: 'Parked', role: null }];
  await call(project.caller, 'boards.update', { id: project.board.id, columns });
  const { id, taskId } = await project.create('task', { boardColumnId: 'Parked' });
  expect(await claim({ ids: [id] })).toMatchObject({
    claimed: false,
    reason: `The task is not ready: it is in progress. ${taskId} is in Parked, which has no role: move it to another column, or give that one a role with PATCH /api/boards/:id.`,
  });
});

describe('isAiProcessing goes with whoever held the task', () => {
  const flag = async (id: string) => (await project.get(id)).isAiProcessing;

  test.each(['To Do', 'Testing'])('when it is moved to %s', async (column) => {
    const { id } = await project.create('task');
    await claim();
    await project.move(id, column);
    expect(await flag(id)).toBe(false);
  });

  test('when it is moved with others', async () => {
    const { id } = await project.create('task');
    await claim();
    await call(project.caller, 'workItems.batchMove', { workItemIds: [id], boardColumnId: 'To Do' });
    expect(await flag(id)).toBe(false);
  });

  test('when its lease has expired, before that is noticed', async () => {
    const { id } = await project.create('task');
    await claim();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await project.get(id)).toMatchObject({ lease: null, isAiProcessing: false });
    const { workItems } = await call(project.caller, 'workItems.list', { projectId: project.project.id });
    expect(workItems).toMatchObject([{ id, lease: null, isAiProcessing: false }]);
  });

  test('when its lease has expired, and that is noticed', async () => {
    const { id } = await project.create('task');
    await claim();
    const later = Date.now() + 61_000;
    vi.useFakeTimers({ toFake: ['Date'], now: later });
    await settleEndedLeases(new Date(later));
    expect(await flag(id)).toBe(false);
  });

  test('when it is unassigned', async () => {
    const { id } = await project.create('task', { assignee: 'Ada' });
    await project.move(id, 'In Progress');
    await project.update(id, { assignee: null });
    expect(await flag(id)).toBe(false);
  });
});

test('a task whose review failed under a lease is returned once that is released', async () => {
  const { id } = await project.create('task');
  const { lease } = await claim();
  await fail(id);
  const { workItem } = await release(id, lease?.token);
  expect(workItem.columnName).toBe('In Progress');
  expect(await claim()).toMatchObject({ claimed: true, workItem: { id }, rework: { summary: 'Mend it' } });
});

test('who an agent is called like holds what was theirs before its claim, and is theirs again after it', async () => {
  const { id } = await project.create('task', { assignee: 'agent' });
  await release(id, (await claim()).lease?.token, 'In Progress');
  expect(await project.get(id)).toMatchObject({ assignee: 'agent', columnName: 'In Progress' });
  expect(await claim()).toMatchObject({ claimed: false });
});
