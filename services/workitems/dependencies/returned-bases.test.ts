import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let own: TestProject;
let reviewer: TestProject['caller'];
beforeEach(async () => {
  own = await startProject();
  reviewer = { ...own.caller, keyId: uuidv7(), userId: uuidv7() };
});

const MODEL = { model: 'gpt-4o', totalTokens: 10 };
const claim = async (id: string, agent = 'agent') => {
  const { lease } = await call(own.caller, 'workItems.claim', { ids: [id], agent });
  if (!lease) throw new Error(`${id} could not be claimed.`);
  return { workItemId: id, leaseToken: lease.token };
};
const finish = async (id: string) => call(own.caller, 'workItems.completeAiTask', { ...(await claim(id)), ...MODEL });
const beat = (held: Awaited<ReturnType<typeof claim>>) => call(own.caller, 'workItems.progress', held);
const review = (workItemId: string, result: 'pass' | 'fail') =>
  call(reviewer, 'workItems.completeReview', {
    workItemId,
    result,
    summary: 'The palette is wrong.',
    issues: ['Blue'],
  });
const markOf = async (id: string) => (await own.get(id)).onReturnedBase;

describe('a base that is sent back', () => {
  test('is told to the agent that builds upon it, once, and marks what was handed over until it passes', async () => {
    const base = await own.create('task');
    const [ready, held, over] = await Promise.all(
      ['Ready', 'Held', 'Over'].map((title) => own.create('task', { title, dependsOn: [base.id] })),
    );
    if (!ready || !held || !over) throw new Error('Nothing was created.');
    await finish(base.id);
    const work = await claim(held.id, 'builder');
    await finish(over.id);

    await review(base.id, 'fail');
    const { notices } = await beat(work);
    expect(notices).toEqual([
      {
        kind: 'dependency_returned',
        taskId: base.taskId,
        summary: 'The palette is wrong.',
        issues: ['Blue'],
        at: expect.any(String),
      },
    ]);
    expect(await beat(work)).not.toHaveProperty('notices');
    expect(await markOf(held.id)).toEqual([base.taskId]);
    expect(await markOf(over.id)).toEqual([base.taskId]);
    expect(await markOf(ready.id)).toBeUndefined();
    const none = await call(own.caller, 'workItems.claim', { ids: [ready.id], agent: 'another' });
    expect(none.reason).toContain(`waits for ${base.taskId}`);
    const context = await call(reviewer, 'workItems.reviewContext', { taskId: over.id });
    expect(context.item.onReturnedBase).toEqual([base.taskId]);

    // Meanwhile, whoever goes on is warned.
    const completed = await call(own.caller, 'workItems.completeAiTask', { ...work, ...MODEL });
    const warning = expect.stringContaining(
      `builds upon ${base.taskId}, which was sent back and has not passed its review`,
    );
    expect(completed.warnings).toEqual([warning]);
    expect((await review(over.id, 'pass')).warnings).toContainEqual(warning);

    await finish(base.id);
    expect(await markOf(over.id)).toEqual([base.taskId]);
    await review(base.id, 'pass');
    expect([await markOf(held.id), await markOf(over.id)]).toEqual([undefined, undefined]);
    expect((await review(held.id, 'pass')).warnings).toBeUndefined();
  });

  test('however often, and however much is wrong with it, is told as one short notice', async () => {
    const base = await own.create('task', { column: 'Review' });
    const held = await own.create('task', { dependsOn: [base.id] });
    const work = await claim(held.id, 'builder');
    const issues = Array.from({ length: 25 }, () => 'All of it. '.repeat(900));
    for (const summary of ['Once.', 'Twice.']) {
      await call(reviewer, 'workItems.completeReview', { workItemId: base.id, result: 'fail', summary, issues });
      await own.move(base.id, 'Review');
    }
    const { notices } = await beat(work);
    expect(notices?.map(({ summary }) => summary)).toEqual(['Twice.']);
    expect(JSON.stringify(notices).length).toBeLessThan(20_000);
  });

  test('by a validation passes with the next passed validation, and by hand with what it had left', async () => {
    const base = await own.create('task');
    const next = await own.create('task', { dependsOn: [base.taskId] });
    await finish(base.id);
    await review(base.id, 'pass');
    await finish(next.id);
    const validate = (failed: number) =>
      call(reviewer, 'workItems.completeValidation', {
        workItemId: base.id,
        ...MODEL,
        testResults: { passed: 1, failed },
      });
    await validate(2);
    expect(await markOf(next.id)).toEqual([base.taskId]);
    await finish(base.id);
    await review(base.id, 'fail');
    await finish(base.id);
    await review(base.id, 'pass');
    expect(await markOf(next.id)).toEqual([base.taskId]);
    await validate(0);
    expect(await markOf(next.id)).toBeUndefined();

    await call(own.caller, 'workItems.move', { workItemId: base.id, boardColumnId: 'Review' });
    const back = { boardColumnId: 'In Progress', reason: 'Not yet' };
    await call(own.caller, 'workItems.batchMove', { workItemIds: [base.id], ...back });
    expect(await markOf(next.id)).toEqual([base.taskId]);
    await finish(base.id);
    await review(base.id, 'pass');
    expect(await markOf(next.id)).toBeUndefined();
  });

  test('passes for a task, too, that has become a story since', async () => {
    const base = await own.create('task');
    const next = await own.create('task', { dependsOn: [base.id] });
    await finish(base.id);
    await finish(next.id);
    await review(base.id, 'fail');
    await own.update(next.id, { type: 'story' });
    expect(await markOf(next.id)).toEqual([base.taskId]);
    await finish(base.id);
    await review(base.id, 'pass');
    expect(await markOf(next.id)).toBeUndefined();
  });

  describe('no longer counts once it is done, for no verdict on it will come', () => {
    const toDone: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      'by a move': (id) => own.move(id, 'Done'),
      'by an update': (id) => own.update(id, { boardColumnId: 'Done' }),
      'with others': (id) =>
        call(own.caller, 'workItems.batchMove', { workItemIds: [id, marked], boardColumnId: 'Done' }),
      'after its children': async (id) => {
        const child = await own.create('task', { parentId: id });
        await own.move(child.id, 'Done');
      },
      'since its column is for that now': (id) => {
        const role = (name: string) => (name === 'To Document' ? { role: 'done' as const } : {});
        const columns = own.board.columns.map((column) => ({ id: column.id, name: column.name, ...role(column.name) }));
        return own.move(id, 'To Document').then(() => call(own.caller, 'boards.update', { id: own.board.id, columns }));
      },
    };
    let marked: string;
    test.each(Object.keys(toDone))('%s', async (way) => {
      const base = await own.create('task');
      const next = await own.create('task', { dependsOn: [base.id] });
      marked = next.id;
      await finish(base.id);
      await finish(next.id);
      await review(base.id, 'fail');
      expect(await markOf(next.id)).toEqual([base.taskId]);
      await toDone[way]?.(base.id);
      expect(await markOf(next.id)).toBeUndefined();
      expect((await own.get(base.id)).columnName).toBe(way.startsWith('since') ? 'To Document' : 'Done');
    });
  });

  test('no longer counts once it is deleted, or the dependency is removed', async () => {
    const [one, two] = [await own.create('task'), await own.create('task')];
    const next = await own.create('task', { dependsOn: [one.id, two.id] });
    await finish(one.id);
    await finish(two.id);
    await finish(next.id);
    await review(one.id, 'fail');
    await review(two.id, 'fail');
    expect((await markOf(next.id))?.toSorted()).toEqual([one.taskId, two.taskId].toSorted());
    await call(own.caller, 'workItems.update', { id: next.id, dependsOn: [two.id] });
    expect(await markOf(next.id)).toEqual([two.taskId]);
    await call(own.caller, 'workItems.delete', { id: two.id });
    expect(await markOf(next.id)).toBeUndefined();
  });

  test('while its dependents are claimed and completed at the same time: each either waits, or hears of it', async () => {
    const base = await own.create('task');
    const dependents = await Promise.all(Array.from({ length: 8 }, () => own.create('task', { dependsOn: [base.id] })));
    await finish(base.id);
    const work = dependents.map(async ({ id }) => {
      const { lease } = await call(own.caller, 'workItems.claim', { ids: [id], agent: id });
      if (!lease) return;
      await call(own.caller, 'workItems.completeAiTask', { workItemId: id, leaseToken: lease.token, ...MODEL });
    });
    await Promise.all([review(base.id, 'fail'), ...work]);
    for (const { id } of dependents) {
      const item = await own.get(id);
      const isWaiting = item.columnName === 'Backlog';
      expect(item.onReturnedBase, item.columnName).toEqual(isWaiting ? undefined : [base.taskId]);
    }
  });
});

describe('a dependency', () => {
  test('is met from the step on that the project says, on all its boards, and at once for what is there', async () => {
    const second = await call(own.caller, 'boards.create', { id: own.project.id, name: 'Second' });
    const here = await own.create('task', { boardColumnId: 'Review' });
    const there = await call(own.caller, 'workItems.create', {
      ...{ title: 'There', type: 'task', boardId: second.id, boardColumnId: 'Testing' },
    });
    const next = await own.create('task', { dependsOn: [here.id, there.id] });
    const waits = async () =>
      (await ItemModel.findOne({ _id: next.id, organizationId: own.caller.organizationId }))?.waitsFor;
    const met = (dependencyMet: 'review' | 'testing' | 'done') =>
      call(own.caller, 'projects.update', { id: own.project.id, dependencyMet });
    expect(await waits()).toEqual([]);
    expect((await met('done')).dependencyMet).toBe('done');
    expect(await waits()).toEqual([here.id, there.id]);
    const plan = await call(own.caller, 'workItems.implementContext', { ids: [next.id] });
    expect(plan.tasks[0]).toMatchObject({ state: 'blocked' });
    await met('testing');
    expect(await waits()).toEqual([here.id]);
    await call(own.caller, 'workItems.move', { workItemId: here.id, boardColumnId: 'Testing' });
    expect(await waits()).toEqual([]);
    await met('done');
    await call(own.caller, 'workItems.batchMove', { workItemIds: [here.id, there.id], boardColumnId: 'Done' });
    expect(await waits()).toEqual([]);
    expect(await call(own.caller, 'workItems.claim', { agent: 'one' })).toMatchObject({ workItem: { id: next.id } });
    const later = await own.create('task', { boardColumnId: 'Review' });
    const waiting = await own.create('task', { dependsOn: [later.taskId] });
    const reason = (await call(own.caller, 'workItems.claim', { ids: [waiting.id], agent: 'two' })).reason;
    expect(reason).toContain(`waits for ${later.taskId} (Review)`);
  });
});
