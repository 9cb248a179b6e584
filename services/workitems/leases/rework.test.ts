import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  call,
  newCaller,
  startProject,
  startReplicas,
  startWorkItems,
  stopWorkItems,
  type TestProject,
} from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
afterEach(() => void vi.useRealTimers());
const goForward = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });

type ClaimInput = Parameters<typeof call<'workItems.claim'>>[2];
const claim = (input: Partial<ClaimInput> = {}) =>
  call(project.caller, 'workItems.claim', { agent: 'agent', ...input });
const failReview = (workItemId: string) =>
  call(project.caller, 'workItems.completeReview', {
    workItemId,
    result: 'fail',
    summary: 'It does not compile.',
    issues: ['src/a.ts: a type', 'src/b.ts: a brace'],
  });
const failValidation = (workItemId: string) =>
  call(project.caller, 'workItems.completeValidation', {
    workItemId,
    testResults: { passed: 10, failed: 2, testFiles: ['test/a.test.ts'] },
    model: 'gpt-5',
    totalTokens: 1,
  });
const taskIn = (column: string, fields: Parameters<TestProject['create']>[1] = {}) =>
  project.create('task', { column, ...fields });
const plan = async (...ids: string[]) => call(project.caller, 'workItems.implementContext', { ids });

describe('a task that a review or a validation sent back', () => {
  test('is claimed like a ready one, and the claim says what to fix', async () => {
    const reviewed = await taskIn('Review');
    await failReview(reviewed.id);
    expect(await claim()).toMatchObject({
      claimed: true,
      workItem: { id: reviewed.id, columnName: 'In Progress', isAiProcessing: true, assignee: 'agent' },
      rework: {
        from: 'review',
        summary: 'It does not compile.',
        issues: ['src/a.ts: a type', 'src/b.ts: a brace'],
        at: expect.stringMatching(/Z$/),
      },
    });
    const validated = await taskIn('Testing');
    await failValidation(validated.id);
    const { workItem, rework } = await claim();
    expect(workItem?.id).toBe(validated.id);
    expect(rework).toMatchObject({ from: 'validation', summary: '2 of 12 tests failed.', issues: ['test/a.test.ts'] });
    expect(await claim()).toMatchObject({ claimed: false });
  });

  test('comes before new tasks of its priority, and after those of a higher one, with ids and without', async () => {
    for (const ids of [false, true]) {
      const own = await startProject();
      const create = (column: string, priority: 'low' | 'medium' | 'high', title: string) =>
        own.create('task', { column, priority, title });
      const all = [
        await create('Backlog', 'medium', 'new'),
        await create('To Do', 'high', 'new and high'),
        await create('Review', 'medium', 'sent back'),
        await create('Review', 'low', 'sent back and low'),
        await create('Backlog', 'low', 'new and low'),
        await create('Review', 'high', 'sent back and high'),
      ];
      for (const { id, columnName } of all) {
        if (columnName !== 'Review') continue;
        await call(own.caller, 'workItems.completeReview', { workItemId: id, result: 'fail', summary: 'No' });
      }
      const taken: string[] = [];
      for (let n = 0; n < 6; n++) {
        const input = { agent: 'agent', ...(ids && { ids: all.map(({ id }) => id) }) };
        const { workItem, rework } = await call(own.caller, 'workItems.claim', input);
        taken.push(workItem?.title ?? 'nothing');
        expect(rework !== undefined).toBe(workItem?.title.startsWith('sent back'));
      }
      expect(taken).toEqual([
        'sent back and high',
        'new and high',
        'sent back',
        'new',
        'sent back and low',
        'new and low',
      ]);
    }
  });

  test('is planned in its wave, and what depends on it in a later one', async () => {
    const before = await taskIn('Backlog');
    const back = await taskIn('Review', { dependsOn: [before.id] });
    const after = await taskIn('Backlog', { dependsOn: [back.id] });
    await failReview(back.id);
    const planned = await plan(before.id, back.id, after.id);
    expect(planned.waves).toEqual([[before.taskId], [back.taskId], [after.taskId]]);
    expect(planned.tasks.map(({ state }) => state)).toEqual(['ready', 'rework', 'waiting']);
    // What it depends on has to be handed over first, as for any other.
    expect((await claim()).workItem?.id).toBe(before.id);
    expect(await claim()).toMatchObject({ claimed: false });
    expect((await plan(back.id)).tasks).toMatchObject([{ state: 'blocked', blockedBy: [before.taskId] }]);
    await project.move(before.id, 'Review');
    expect((await plan(back.id)).tasks).toMatchObject([{ state: 'rework', blockedBy: [] }]);
    expect(await claim()).toMatchObject({ workItem: { id: back.id }, rework: { from: 'review' } });
  });

  test('counts as sent back again when it is released, or when its agent does not come back', async () => {
    const task = await taskIn('Review', { assignee: 'Ada' });
    await failReview(task.id);
    const first = await claim({ agent: 'one' });
    const leaseToken = first.lease?.token as string;
    const { workItem } = await call(project.caller, 'workItems.release', { workItemId: task.id, leaseToken });
    expect(workItem).toMatchObject({ columnName: 'In Progress', assignee: 'Ada', isAiProcessing: false, lease: null });
    expect((await plan(task.id)).tasks).toMatchObject([{ state: 'rework' }]);
    const second = await claim({ agent: 'two', leaseSeconds: 60 });
    expect(second.rework).toEqual(first.rework);
    await taskIn('Backlog');
    goForward(61);
    const third = await claim({ agent: 'three' });
    expect(third).toMatchObject({ workItem: { id: task.id }, rework: first.rework });
    await call(project.caller, 'workItems.release', { workItemId: task.id, leaseToken: third.lease?.token as string });
    expect(await claim({ ids: [task.id] })).toMatchObject({ claimed: true, rework: first.rework });
  });

  test('to where pending tasks are counts as sent back again when it is released there', async () => {
    const { id } = await taskIn('Review');
    await project.move(id, 'To Do', { reason: 'No tests' });
    const rework = { from: 'move', summary: 'No tests' };
    expect(await project.get(id)).toMatchObject({ columnName: 'To Do', rework });
    const release = async (boardColumnId?: string) => {
      const leaseToken = (await claim()).lease?.token as string;
      return (await call(project.caller, 'workItems.release', { workItemId: id, leaseToken, boardColumnId })).workItem;
    };
    expect(await release()).toMatchObject({ columnName: 'To Do', rework });
    expect(await release('To Do')).toMatchObject({ rework });
    expect(await release('Backlog')).not.toHaveProperty('rework');
  });

  test.each<[string, object, (id: string) => Promise<unknown>]>([
    ['is moved elsewhere', {}, (id) => project.move(id, 'To Do').then(() => project.move(id, 'In Progress'))],
    ['is given an assignee', { claimed: false }, (id) => project.update(id, { assignee: 'Ada' })],
  ])('is no longer returned when it %s', async (_, answer, change) => {
    const task = await taskIn('Review');
    await failReview(task.id);
    await project.update(task.id, { title: 'Another', assignee: null });
    expect((await plan(task.id)).tasks).toMatchObject([{ state: 'rework' }]);
    await change(task.id);
    expect((await plan(task.id)).tasks).toMatchObject([{ state: 'in_progress' }]);
    const claimed = await claim();
    expect(claimed).toMatchObject(answer);
    expect(claimed).not.toHaveProperty('rework');
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['is moved to where it is', (id) => project.move(id, 'In Progress')],
    [
      'is moved to where it is with others',
      (workItemId) =>
        call(project.caller, 'workItems.batchMove', {
          workItemIds: [workItemId],
          boardColumnId: project.column('In Progress'),
        }),
    ],
  ])('stays returned when it %s', async (_, change) => {
    const { id } = await taskIn('Review', { assignee: 'Ada' });
    await failReview(id);
    await change(id);
    expect(await project.get(id)).toMatchObject({ isAiProcessing: false });
    expect(await claim()).toMatchObject({ workItem: { id }, rework: { from: 'review' } });
  });

  test('goes by its priority, and by the name of its column', async () => {
    const [one, two] = [await taskIn('Review'), await taskIn('Review')];
    for (const { id } of [one, two]) await failReview(id);
    await project.update(two.id, { priority: 'urgent' });
    const rename = (from: string, to: string) =>
      call(project.caller, 'boards.update', {
        id: project.board.id,
        columns: project.board.columns.map(({ id, name }) => ({ id, name: name === from ? to : name })),
      });
    await rename('Validating', 'Another');
    expect((await claim()).workItem?.id).toBe(two.id);
    await rename('In Progress', 'Doing');
    await rename('', '');
    expect((await claim()).workItem?.id).toBe(one.id);
  });

  test('that an agent holds cannot be claimed by anybody else', async () => {
    const task = await taskIn('Backlog');
    const { lease } = await claim({ leaseSeconds: 60 });
    await failReview(task.id);
    expect(await claim()).toMatchObject({ claimed: false });
    goForward(61);
    expect(await claim()).toMatchObject({ workItem: { id: task.id }, claimed: true });
    expect(lease).not.toBeNull();
  });

  test('is claimed by exactly one of several agents on two replicas', async () => {
    const replicas = await startReplicas(2);
    const own = await startProject('Worktrack', newCaller(), replicas.call);
    for (let round = 0; round < 5; round++) {
      const { id } = await own.create('task', { column: 'Review' });
      await replicas.call(own.caller, 'workItems.completeReview', { workItemId: id, result: 'fail', summary: 'No' });
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          replicas.call({ ...own.caller, keyId: uuidv7() }, 'workItems.claim', {
            agent: `agent ${n}`,
            ...(n % 3 === 0 && { ids: [id] }),
          }),
        ),
      );
      expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
      expect(claims.find(({ claimed }) => claimed)).toMatchObject({ rework: { from: 'review' }, workItem: { id } });
    }
    await replicas.stop();
  });
});

describe('a claim that gets nothing', () => {
  test('names who holds a task and until when, and which dependency is unmet and where it is', async () => {
    const held = await taskIn('To Do', { title: 'held' });
    const { lease } = await claim({ agent: 'agent 7' });
    const waits = await taskIn('Backlog', { dependsOn: [held.id] });
    const parent = await taskIn('Backlog');
    const child = await taskIn('Review', { parentId: parent.id });
    const byHand = await taskIn('In Progress', { assignee: 'Ada' });
    const { reason } = await claim();
    const until = `held by agent 7 until ${lease?.expiresAt}`;
    expect(reason).toBe(
      [
        `None of the project's 2 pending tasks is ready: ${waits.taskId} waits for ${held.taskId} (In Progress, ${until})`,
        `${parent.taskId} has tasks below it, which come first`,
        `${held.taskId} is ${until}`,
        `${byHand.taskId} is in In Progress without a lease, assigned to Ada.`,
      ].join('; '),
    );
    const ofThree = await claim({ ids: [waits.id, held.id, child.id] });
    expect(ofThree.reason).toBe(
      `None of the 3 tasks is ready: 1 blocked, 1 in progress, 1 in review. ${waits.taskId} waits for ${held.taskId} (In Progress, ${until}); ${held.taskId} is ${until}.`,
    );
  });

  test('uses the singular for a single task', async () => {
    const held = await taskIn('To Do');
    await claim();
    const waits = await taskIn('Backlog', { dependsOn: [held.id] });
    const { reason } = await claim();
    expect(reason).toMatch(`The project's only pending task is not ready: ${waits.taskId} waits for ${held.taskId}`);
  });

  test('never explains why a task is not ready that has become ready at the same moment', async () => {
    for (let round = 0; round < 30; round++) {
      const [{ workItem, reason }] = await Promise.all([claim(), taskIn('Backlog')]);
      if (workItem) continue;
      expect(reason).toMatch(/^There is no pending task/);
      expect((await claim()).workItem).not.toBeNull();
    }
  });

  test('names a few of many', async () => {
    const dependencies = await Promise.all(Array.from({ length: 5 }, () => taskIn('In Progress', { assignee: 'Ada' })));
    const dependsOn = dependencies.map(({ id }) => id);
    for (let n = 0; n < 7; n++) await taskIn('Backlog', { dependsOn });
    const { reason = '' } = await claim();
    expect(reason).toMatch(/^None of the project's 7 pending tasks is ready: /);
    expect(reason.match(/ waits for /g)).toHaveLength(5);
    expect(reason).toMatch(/, 2 more; and 7 more\.$/);
  });

  test('reports tasks that people work on when nothing is pending', async () => {
    const task = await taskIn('In Progress', { assignee: 'Ada' });
    expect((await claim()).reason).toBe(
      `There is no pending task in the project: ${task.taskId} is in In Progress without a lease, assigned to Ada.`,
    );
  });
});
