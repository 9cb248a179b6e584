import type { Caller } from '@worktrack/contracts/caller';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  call,
  failure,
  startProject,
  startWorkItems,
  stopWorkItems,
  storeUnchecked,
  type TestProject,
} from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
// Only what tells the time: the database client waits with real timers.
afterEach(() => void vi.useRealTimers());
const goForward = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });

type ClaimInput = Parameters<typeof call<'workItems.claim'>>[2];
const claim = (input: Partial<ClaimInput> = {}, caller: Caller = project.caller) =>
  call(caller, 'workItems.claim', { agent: 'agent', ...input });
const anotherKey = (): Caller => ({ ...project.caller, keyId: uuidv7() });

/** Claims something that must be there. */
async function claimed(input: Partial<ClaimInput> = {}) {
  const { workItem, lease } = await claim(input);
  if (!workItem || !lease) throw new Error('There was nothing to claim.');
  return { workItem, lease };
}
const complete = (workItemId: string, leaseToken?: string, caller: Caller = project.caller) =>
  call(caller, 'workItems.completeAiTask', {
    workItemId,
    reviewColumnId: project.column('Review'),
    model: 'gpt-5',
    totalTokens: 1,
    leaseToken,
  });

describe('a claim', () => {
  test('moves the item to In Progress for the agent, with a lease, and its history says so', async () => {
    const item = await project.create('task', { column: 'To Do', assignee: 'Ada' });
    const before = Date.now();
    const { workItem, lease } = await claimed({ agent: 'agent 7', leaseSeconds: 60 });
    expect(workItem).toMatchObject({
      id: item.id,
      columnName: 'In Progress',
      assignee: 'agent 7',
      isAiProcessing: true,
      version: item.version + 1,
    });
    const expiresInMs = Date.parse(lease.expiresAt) - before;
    expect(expiresInMs).toBeGreaterThanOrEqual(60_000);
    expect(expiresInMs).toBeLessThan(120_000);
    const [moved, updated] = await project.history(item.id);
    expect(moved?.data).toEqual({ fromColumn: 'To Do', toColumn: 'In Progress' });
    expect(updated?.data).toEqual({ changes: { assignee: { from: 'Ada', to: 'agent 7' } } });
  });

  test('cascades like any move', async () => {
    const story = await project.create('story');
    await project.create('task', { parentId: story.id });
    await claimed();
    expect(await project.get(story.id)).toMatchObject({ columnName: 'In Progress' });
  });

  test('takes by priority, then in board order, and only tasks whose dependencies are handed over', async () => {
    const create = (title: string, fields: Parameters<TestProject['create']>[1] = {}) =>
      project.create('task', { title, ...fields });
    const base = await create('base', { column: 'Testing' });
    await create('medium, To Do', { column: 'To Do' });
    await create('medium, second');
    const first = await create('medium, first');
    await project.move(first.id, 'Backlog', { position: 'first' });
    await create('high', { priority: 'high', metadata: { dependsOn: [base.taskId] } });
    await create('waits', { priority: 'urgent', metadata: { dependsOn: [first.taskId] } });
    const lost = await create('waits for nothing that there is', { priority: 'urgent' });
    await storeUnchecked(lost.id, { dependsOn: ['W-T-9999'] });
    await project.create('story', { title: 'no task', priority: 'urgent' });
    const taken = [];
    for (;;) {
      const { workItem, reason } = await claim();
      if (!workItem) {
        expect(reason).toMatch(/^None of the project's 2 pending tasks is ready/);
        break;
      }
      taken.push(workItem.title);
    }
    expect(taken).toEqual(['high', 'medium, first', 'medium, second', 'medium, To Do']);
    await complete(first.id);
    expect((await claimed()).workItem.title).toBe('waits');
  });

  test('in any project of a limited key is kept from none by one that is gone, or has no column for work', async () => {
    const { organization, project: own } = project;
    const [gone, stuck] = [await startProject('Gone', organization), await startProject('Stuck', organization)];
    await call(organization, 'projects.delete', { id: gone.project.id });
    const { id, columns } = await call(organization, 'boards.get', { id: stuck.board.id });
    const doing = columns.map(({ id, name, role }) => ({ id, name, role: role === 'in_progress' ? null : role }));
    await call(organization, 'boards.update', { id, columns: doing });
    const task = await project.create('task');
    const limited = { ...organization, projects: [gone.project.id, stuck.project.id, own.id] };
    expect((await claim({}, limited)).workItem?.id).toBe(task.id);
    const { claimed, reason } = await claim({}, limited);
    expect(claimed).toBe(false);
    for (const why of [/no project/, /role in_progress/, /no pending task/]) expect(reason).toMatch(why);
  });

  test('takes the tasks below a task, not the task itself', async () => {
    const outer = await project.create('task', { title: 'outer', priority: 'urgent' });
    await project.create('task', { title: 'inner', parentId: outer.id });
    expect((await claimed()).workItem.title).toBe('inner');
    expect(await claim()).toMatchObject({ claimed: false });
  });

  test('of a named task takes that one, even with others below it', async () => {
    const task = await project.create('task');
    await project.create('task', { parentId: task.id });
    expect((await claimed({ ids: [task.taskId] })).workItem.id).toBe(task.id);
  });

  test('finds a ready task behind more unready ones than are looked at first', async () => {
    const { id } = await project.create('task', { column: 'Testing' });
    const { id: unmet } = await project.create('idea');
    const waiting = { priority: 'urgent' as const, dependsOn: [id, unmet] };
    await Promise.all(Array.from({ length: 70 }, () => project.create('task', waiting)));
    await project.create('task', { title: 'ready', priority: 'low' });
    expect((await claimed()).workItem.title).toBe('ready');
  });

  test('finds the best task of agents that did not come back, however many of them did not', async () => {
    const items = Array.from({ length: 41 }, (_, at) => ({
      title: `low ${at}`,
      type: 'task' as const,
      priority: 'low' as const,
    }));
    await call(project.caller, 'workItems.createMany', { items });
    for (const _ of items) await claimed({ leaseSeconds: 60 });
    const urgent = await project.create('task', { priority: 'urgent' });
    await claimed({ leaseSeconds: 70 });
    goForward(80);
    expect((await claimed()).workItem.id).toBe(urgent.id);
  });

  test('is not kept from a task by those of a board on which nothing can be claimed, of whichever number', async () => {
    const { id } = await call(project.caller, 'boards.create', { id: project.project.id, name: 'Ideas' });
    const items = Array.from({ length: 41 }, (_, at) => ({
      title: `urgent ${at}`,
      type: 'task' as const,
      priority: 'urgent' as const,
    }));
    const { items: created } = await call(project.caller, 'workItems.createMany', { boardId: id, items });
    const { columns } = await call(project.caller, 'boards.get', { id });
    const pending = columns.filter(({ role }) => role === 'backlog' || role === 'todo');
    await call(project.caller, 'boards.update', {
      id,
      columns: pending.map((column) => ({ id: column.id, name: column.name })),
    });
    const [first, second] = [await project.create('task'), await project.create('task')];
    expect((await claimed()).workItem.id).toBe(first.id);
    expect((await claimed({ ids: [created[0]?.id ?? '', second.id] })).workItem.id).toBe(second.id);
    expect((await failure(claim({ ids: [created[0]?.id ?? ''] }))).message).toContain(
      'no column of the role in_progress',
    );
    expect(await claim()).toMatchObject({ claimed: false });
  });

  test('of given items takes the best leaf task below them, and says how far along the others are', async () => {
    const epic = await project.create('epic');
    const feature = await project.create('feature', { parentId: epic.id });
    await project.create('task', { title: 'elsewhere', priority: 'urgent' });
    const low = await project.create('task', { title: 'low', priority: 'low', parentId: feature.id });
    await project.create('task', { title: 'high', priority: 'high', parentId: feature.id });
    await project.create('task', { title: 'waits', parentId: epic.id, metadata: { dependsOn: [low.id] } });
    const ids = [epic.taskId];
    expect((await claimed({ ids })).workItem.title).toBe('high');
    expect((await claimed({ ids })).workItem.title).toBe('low');
    expect(await claim({ ids })).toEqual({
      claimed: false,
      workItem: null,
      lease: null,
      reason: expect.stringMatching(/^None of the 3 tasks is ready: 2 in progress, 1 blocked\. /),
    });
    expect((await claim({ ids: [low.id] })).reason).toMatch(/^The task is not ready: it is in progress\./);
  });

  test('of a project without tasks says so', async () => {
    expect(await claim()).toMatchObject({ claimed: false, reason: 'There is no pending task in the project.' });
  });

  test('by concurrent agents gives each a different task, and those that get none are told', async () => {
    const epic = await project.create('epic');
    const tasks = await Promise.all(Array.from({ length: 12 }, () => project.create('task', { parentId: epic.id })));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim({}, anotherKey())));
    const got = claims.flatMap(({ workItem }) => workItem?.id ?? []);
    expect([...got].sort()).toEqual(tasks.map(({ id }) => id).sort());
    expect(new Set(claims.flatMap(({ lease }) => lease?.token ?? [])).size).toBe(12);
    expect(claims.filter(({ reason }) => reason !== undefined)).toHaveLength(8);
    for (const id of got) {
      const moves = (await project.history(id)).filter(({ eventType }) => eventType === 'moved');
      expect(moves).toHaveLength(1);
    }
  });

  test('without project and ids is refused, with what to give', async () => {
    const refused = await failure(claim({}, project.organization));
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'projectId' }] } });
  });

  test('of what is not there, or has no tasks, says which it is', async () => {
    expect((await failure(claim({ ids: ['W-T-9999'] }))).message).toBe(
      'ids: there is no work item W-T-9999 in the project.',
    );
    const { id } = await project.create('epic');
    expect((await failure(claim({ ids: [id] }))).message).toBe('ids: none is a task or has tasks below it.');
  });

  test('of which nothing is ready names what is not there, which may be what was meant', async () => {
    const { taskId } = await project.create('task', { column: 'Done' });
    expect(await claim({ ids: [taskId, 'W-T-9998', 'W-T-9999'] })).toMatchObject({
      claimed: false,
      reason: `The task is not ready: it is done. There is no work item W-T-9998 in the project. There is no work item W-T-9999 in the project.`,
    });
  });

  test.each([
    ['ids that name nothing', { ids: ['W-T-9999', 'nonsense'] }],
    ['a project of another organization', { projectId: uuidv7() }],
  ])('of %s is NOT_FOUND', async (_, input) => {
    expect(await failure(claim(input))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('a claim comes with what the work needs: the parent’s description, and what was said', async () => {
  const own = await startProject();
  const story = await own.create('feature', { title: 'Themes', description: 'For reading at night.' });
  const task = await own.create('task', { parentId: story.id, description: 'Name all colours.' });
  await call(own.caller, 'workItems.comment', { workItemId: task.id, text: 'Blue is taken.' });
  const whole = await call(own.caller, 'workItems.claim', { agent: 'one' });
  expect(whole).toMatchObject({
    workItem: { id: task.id, description: 'Name all colours.' },
    parent: { taskId: story.taskId, title: 'Themes', description: 'For reading at night.' },
    answers: [{ text: 'Blue is taken.', actor: { keyId: own.caller.keyId } }],
  });
  expect(whole).not.toHaveProperty('attachments');
  const renewed = await call(own.caller, 'workItems.claim', { agent: 'one', leaseToken: whole.lease?.token as string });
  expect(renewed).not.toHaveProperty('parent');
  const bare = await own.create('task');
  const other = await call(own.caller, 'workItems.claim', { agent: 'two' });
  expect(other.workItem?.id).toBe(bare.id);
  expect(Object.keys(other).toSorted()).toEqual(['claimed', 'lease', 'workItem']);
});

describe('a lease', () => {
  test('is renewed with its token, which does not change the item', async () => {
    await project.create('task');
    const { workItem, lease } = await claimed({ leaseSeconds: 60 });
    goForward(50);
    const renewed = await claimed({ leaseToken: lease.token, leaseSeconds: 60 });
    expect(renewed.lease.token).toBe(lease.token);
    expect(Date.parse(renewed.lease.expiresAt) - Date.parse(lease.expiresAt)).toBeGreaterThanOrEqual(50_000);
    expect({ ...renewed.workItem, lease: null }).toEqual({ ...workItem, lease: null });
    expect(await project.history(workItem.id)).toHaveLength(3);
  });

  test('that has expired makes the item claimable, and then belongs to the agent that claims it', async () => {
    const item = await project.create('task', { assignee: 'Ada' });
    const first = await claimed({ agent: 'first', leaseSeconds: 60 });
    expect(await claim({ agent: 'second' })).toMatchObject({ claimed: false });
    goForward(61);
    expect(await failure(claim({ leaseToken: first.lease.token }))).toMatchObject({ code: 'CONFLICT' });
    const second = await claimed({ agent: 'second' });
    expect(second.workItem).toMatchObject({ id: item.id, assignee: 'second', columnName: 'In Progress' });
    expect(await failure(complete(item.id, first.lease.token))).toMatchObject({ code: 'CONFLICT' });
    const { workItem } = await call(project.caller, 'workItems.release', {
      workItemId: item.id,
      leaseToken: second.lease.token,
    });
    // As it was before the first agent, which did not come back to undo it.
    expect(workItem).toMatchObject({ columnName: 'Backlog', assignee: 'Ada', isAiProcessing: false });
  });

  test('that has expired is taken over by exactly one of several concurrent agents', async () => {
    const item = await project.create('task');
    await claimed({ leaseSeconds: 60 });
    goForward(61);
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) => claim({ agent: `agent ${n}`, ids: n % 2 ? [item.id] : undefined })),
    );
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  });

  test('ends with any move out of In Progress, by anybody', async () => {
    for (const leave of [
      (id: string) => project.move(id, 'To Do'),
      (id: string) => project.update(id, { boardColumnId: project.column('Backlog') }),
      (id: string) =>
        call(project.caller, 'workItems.batchMove', { workItemIds: [id], boardColumnId: project.column('To Do') }),
      (id: string) =>
        call(project.caller, 'workItems.completeReview', { workItemId: id, result: 'pass', summary: 'by a person' }),
    ]) {
      const item = await project.create('task');
      const { lease } = await claimed({ ids: [item.id] });
      await leave(item.id);
      const release = { workItemId: item.id, leaseToken: lease.token };
      expect(await failure(claim({ leaseToken: lease.token }))).toMatchObject({ code: 'CONFLICT' });
      expect(await failure(call(project.caller, 'workItems.release', release))).toMatchObject({ code: 'CONFLICT' });
      expect(await failure(complete(item.id, lease.token))).toMatchObject({ code: 'CONFLICT' });
      await project.move(item.id, 'Done');
    }
  });

  test('does not end with other changes, nor with a move to where the item already is', async () => {
    const item = await project.create('task');
    const { lease } = await claimed();
    await project.update(item.id, { title: 'Another' });
    await project.move(item.id, 'In Progress');
    await claimed({ leaseToken: lease.token });
  });

  test('lets only its token, or the key that claimed, hand the work over', async () => {
    const item = await project.create('task');
    const { lease } = await claimed();
    const before = await project.get(item.id);
    const refused = await failure(complete(item.id, undefined, anotherKey()));
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(lease.expiresAt) });
    expect(await failure(complete(item.id, 'another token'))).toMatchObject({ code: 'CONFLICT' });
    expect(await project.get(item.id)).toEqual(before);
    await complete(item.id, lease.token, anotherKey());
    expect(await failure(complete(item.id, lease.token))).toMatchObject({ code: 'CONFLICT' });

    const another = await project.create('task');
    await claimed();
    expect(await complete(another.id)).toMatchObject({ movedTo: 'Review' });
  });

  test.each(['nonsense', '', uuidv7(), `${uuidv7()}.x`, '.'])('token "%s" renews nothing', async (leaseToken) => {
    await project.create('task');
    await claimed();
    if (leaseToken === '') return expect(() => claim({ leaseToken })).rejects.toThrow();
    expect(await failure(claim({ leaseToken }))).toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a release', () => {
  test('restores the column, assignee and flag from before the claim', async () => {
    const item = await project.create('task', { column: 'To Do', assignee: 'Ada' });
    const { lease } = await claimed({ agent: 'agent' });
    const released = await call(project.caller, 'workItems.release', {
      workItemId: item.taskId,
      leaseToken: lease.token,
    });
    expect(released).toMatchObject({
      released: true,
      workItem: { id: item.id, columnName: 'To Do', assignee: 'Ada', isAiProcessing: false },
    });
    const [moved, updated] = await project.history(item.id);
    expect(moved?.data).toEqual({ fromColumn: 'In Progress', toColumn: 'To Do' });
    expect(updated?.data).toEqual({ changes: { assignee: { from: 'agent', to: 'Ada' } } });
    expect((await claimed()).workItem.id).toBe(item.id);
  });

  test('puts it into a different column when told to', async () => {
    const item = await project.create('task', { column: 'To Do' });
    const { lease } = await claimed();
    const release = { workItemId: item.id, leaseToken: lease.token };
    const wrong = { ...release, boardColumnId: uuidv7() };
    expect(await failure(call(project.caller, 'workItems.release', wrong))).toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { details: [{ path: 'boardColumnId' }] },
    });
    const { workItem } = await call(project.caller, 'workItems.release', {
      ...release,
      boardColumnId: project.column('Backlog'),
    });
    expect(workItem).toMatchObject({ columnName: 'Backlog' });
  });

  test('finds a place if the column is gone', async () => {
    const item = await project.create('task', { column: 'To Do' });
    const { lease } = await claimed();
    await call(project.caller, 'boards.update', {
      id: project.board.id,
      columns: project.board.columns.filter(({ name }) => name !== 'To Do').map(({ id, name }) => ({ id, name })),
    });
    const release = { workItemId: item.id, leaseToken: lease.token };
    const { workItem } = await call(project.caller, 'workItems.release', release);
    expect(workItem).toMatchObject({ columnName: 'Backlog' });
  });
});
