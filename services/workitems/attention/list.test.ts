import { NEED_KINDS, type NeedKind } from '@worktrack/contracts/work-items/attention';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { settleEndedLeases } from '../leases/settle.ts';
import { attentionMigration } from '../migrations/attention.repository.ts';
import { call, startProject, startWorkItems, stopWorkItems, storeUnchecked, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let own: TestProject;
beforeEach(async () => {
  own = await startProject();
});
afterEach(() => void vi.useRealTimers());

const MODEL = { model: 'claude-sonnet-4-5', totalTokens: 100 };
const ALL = { kinds: [...NEED_KINDS], names: ['Ada'], limit: 100 };
type Asked = Partial<Parameters<typeof call<'workItems.needs'>>[2]>;
const needs = (asked: Asked = {}, caller = own.caller) => call(caller, 'workItems.needs', { ...ALL, ...asked });
/** As `kind task`. */
const told = async (caller = own.caller) =>
  (await needs({}, caller)).needed.map(({ kind, workItem }) => `${kind} ${workItem?.taskId ?? '-'}`);

async function claimed(agent = 'agent') {
  const item = await own.create('task');
  const { lease } = await call(own.caller, 'workItems.claim', { ids: [item.id], agent, leaseSeconds: 60 });
  const mine = { workItemId: item.id, leaseToken: lease?.token ?? '' };
  return {
    ...item,
    beat: (fields: object = {}) => call(own.caller, 'workItems.progress', { ...mine, ...fields }),
    complete: () => call(own.caller, 'workItems.completeAiTask', { ...mine, ...MODEL }),
    release: () => call(own.caller, 'workItems.release', mine),
  };
}
const review = (workItemId: string, result: 'pass' | 'fail') =>
  call(own.caller, 'workItems.completeReview', { workItemId, result, summary: 'Too slow', issues: ['The list'] });

function goForward(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });
}

test('an agent that asks, what it hands over, and what is sent back, each until it is seen to', async () => {
  const task = await claimed();
  expect(await told()).toEqual([]);
  await task.beat({ state: 'awaiting_input', question: 'Which colours?' });
  const [asked] = (await needs()).needed;
  expect(asked).toMatchObject({ kind: 'question', workItem: { lease: { question: 'Which colours?' } } });
  await task.beat({ state: 'working' });
  expect(await told()).toEqual([]);
  await task.complete();
  const [handedOver] = (await needs()).needed;
  const { version } = await own.get(task.id);
  expect(handedOver).toMatchObject({ kind: 'review', id: task.id, version, previous: { agent: 'agent' } });
  await review(task.id, 'pass');
  expect(await told()).toEqual([`validation ${task.taskId}`]);
  await own.move(task.id, 'Review');
  await review(task.id, 'fail');
  const [returned] = (await needs()).needed;
  expect(returned).toMatchObject({ kind: 'returned', workItem: { rework: { summary: 'Too slow' } } });
  await call(own.caller, 'workItems.claim', { ids: [task.id], agent: 'two' });
  expect(await told()).toEqual([]);
});

describe('an agent that is not heard of', () => {
  test('is stalled, unless it comes back, and then its work has failed, until it is claimed again', async () => {
    const task = await claimed();
    goForward(31);
    await settleEndedLeases(new Date());
    expect(await told()).toEqual([`stalled ${task.taskId}`]);
    await task.beat();
    expect(await told()).toEqual([]);
    goForward(31);
    await Promise.all([1, 2, 3].map(() => settleEndedLeases(new Date())));
    await own.update(task.id, { title: 'Another' });
    expect(await told()).toEqual([`stalled ${task.taskId}`]);
    goForward(31);
    await settleEndedLeases(new Date());
    expect(await told()).toEqual([`failed ${task.taskId}`]);
    await call(own.caller, 'workItems.claim', { agent: 'two' });
    expect(await told()).toEqual([]);
  });

  test('waits for an answer rather than stalls', async () => {
    const task = await claimed();
    await task.beat({ state: 'awaiting_input', question: 'Which?' });
    goForward(61);
    await settleEndedLeases(new Date());
    expect(await told()).toEqual([`question ${task.taskId}`]);
  });
});

test('work that was given up after it cost something has failed; before, it is only free again', async () => {
  const [one, other] = [await claimed(), await claimed()];
  await one.release();
  await other.beat(MODEL);
  await other.release();
  const { needed } = await needs();
  expect(needed).toMatchObject([
    { kind: 'failed', id: other.id, previous: { agent: 'agent', endedBecause: 'released' } },
  ]);
  await own.update(other.id, { assignee: 'Ada' });
  expect(await told()).toEqual([`assigned ${other.taskId}`]);
  await own.move(other.id, 'Review');
  const [judged] = (await needs()).needed;
  expect(judged).toMatchObject({ kind: 'review', id: other.id });
  expect(judged?.previous).toBeUndefined();
});

describe('what depends on work that was sent back', () => {
  test('is blocked until that passes, or is handed over before anybody has begun', async () => {
    const base = await own.create('task', { column: 'Review' });
    const begun = await claimed();
    await own.update(begun.id, { dependsOn: [base.id] });
    const waiting = await own.create('task', { dependsOn: [base.id] });
    expect(await told()).toEqual([`review ${base.taskId}`]);
    await review(base.id, 'fail');
    const { needed } = await needs({ kinds: ['blocked'] });
    expect(needed.map(({ id }) => id).sort()).toEqual([begun.id, waiting.id].sort());
    expect(needed[0]?.blockedBy).toEqual([{ taskId: base.taskId, reason: 'returned' }]);
    await own.move(base.id, 'Review');
    expect(await told()).toEqual([`review ${base.taskId}`, `blocked ${begun.taskId}`]);
    await review(base.id, 'pass');
    expect(await told()).toEqual([`validation ${base.taskId}`]);
  });

  test('is blocked again when it is reopened before that passes', async () => {
    const base = await own.create('task', { column: 'Review' });
    const task = await claimed();
    await own.update(task.id, { dependsOn: [base.id] });
    await review(base.id, 'fail');
    await own.move(task.id, 'Done');
    expect(await told()).toEqual([`returned ${base.taskId}`]);
    await own.move(task.id, 'Testing');
    expect((await own.get(task.id)).onReturnedBase).toEqual([base.taskId]);
    expect(await told()).toEqual([`validation ${task.taskId}`, `returned ${base.taskId}`, `blocked ${task.taskId}`]);
    await own.move(base.id, 'Done');
    expect(await told()).toEqual([`validation ${task.taskId}`]);
  });

  test('is no longer, once it does not depend on it, or that is gone', async () => {
    const base = await own.create('task', { column: 'Review' });
    const [one, other] = [await own.create('task', { dependsOn: [base.id] }), await claimed()];
    await own.update(other.id, { dependsOn: [base.id] });
    await review(base.id, 'fail');
    await own.update(one.id, { dependsOn: [] });
    expect(await told()).toEqual([`returned ${base.taskId}`, `blocked ${other.taskId}`]);
    await call(own.caller, 'workItems.delete', { id: base.id });
    expect(await told()).toEqual([]);
  });
});

test('a budget of which four fifths are spent, told once in its period', async () => {
  const epic = await own.create('epic');
  await call(own.caller, 'workItems.setBudget', { workItemId: epic.id, limitUsd: 1 });
  const task = await own.create('task', { parentId: epic.id });
  const spend = (costUsd: number) =>
    call(own.caller, 'workItems.recordSession', { workItemId: task.id, ...MODEL, costUsd });
  await spend(0.7);
  expect(await told()).toEqual([]);
  await spend(0.15);
  await spend(0.1);
  const { needed } = await needs();
  expect(needed).toMatchObject([{ kind: 'budget', id: epic.id, budget: { spentUsd: 0.95, limitUsd: 1 } }]);
  expect(needed[0]?.workItem?.taskId).toBe(epic.taskId);
});

test('a budget that others spent together, or that costs were moved below, once anybody asks for work there', async () => {
  const [one, other] = [await own.create('epic'), await own.create('epic')];
  for (const { id } of [one, other]) await call(own.caller, 'workItems.setBudget', { workItemId: id, limitUsd: 1 });
  const [mine, yours] = [
    await own.create('task', { parentId: one.id }),
    await own.create('task', { parentId: one.id }),
  ];
  const moved = await own.create('task');
  const spend = (workItemId: string) =>
    call(own.caller, 'workItems.recordSession', { workItemId, ...MODEL, costUsd: 0.7 });
  await Promise.all([spend(mine.id), spend(yours.id)]);
  await spend(moved.id);
  await spend(moved.id);
  await own.update(moved.id, { parentId: other.id });
  expect(await call(own.caller, 'workItems.claim', { agent: 'one' })).toMatchObject({ claimed: false });
  const budgets = async () => (await needs({ kinds: ['budget'] })).needed.map(({ workItem }) => workItem?.taskId);
  expect((await budgets()).sort()).toEqual([one.taskId, other.taskId]);
  // The log is told by whoever spends next, once.
  await spend(moved.id);
  await spend(moved.id);
  const { OutboxModel } = await import('@worktrack/runtime/database/outbox/outbox.model');
  const { organizationId } = own.caller;
  const rows = await OutboxModel.find({ organizationId, type: 'work_item.needs_attention' }).lean();
  expect(rows.filter(({ data }) => String(data).includes(other.id))).toHaveLength(1);
});

test('what is assigned to a person is theirs until it is done; a name that is no user’s holds nothing', async () => {
  const people = [{ id: own.caller.userId, name: 'Ada', as: 'me' }];
  const caller = { ...own.caller, people };
  const task = await own.create('task', { column: 'In Progress' });
  await call(caller, 'workItems.update', { id: task.id, assignee: 'me' });
  expect((await own.get(task.id)).assignee).toBe('Ada');
  expect(await told()).toEqual([`assigned ${task.taskId}`]);
  expect(await call(caller, 'workItems.claim', { agent: 'one' })).toMatchObject({ claimed: false });
  await call(caller, 'workItems.update', { id: task.id, assignee: 'nobody in particular' });
  expect(await told()).toEqual([]);
  expect(await call(caller, 'workItems.claim', { agent: 'one' })).toMatchObject({ claimed: true });
  const other = await call(caller, 'workItems.createTask', { title: 'Another', assignee: 'me' } as never).catch(
    () => null,
  );
  expect(other).toBeNull();
  await own.move(task.id, 'Done', { takeOver: true });
  await call(caller, 'workItems.update', { id: task.id, assignee: 'me' });
  expect(await told()).toEqual([]);
  await own.move(task.id, 'To Do');
  expect(await told()).toEqual([`assigned ${task.taskId}`]);
});

test('the pages are in the order of the kinds, what has waited longest first, and nothing is missing or twice', async () => {
  const made: string[] = [];
  for (let index = 0; index < 7; index++) {
    const [one, other] = [
      await own.create('task', { column: 'Review' }),
      await own.create('task', { column: 'Testing' }),
    ];
    made.push(one.id, other.id);
  }
  const expected = [...made.filter((_, at) => at % 2 === 0), ...made.filter((_, at) => at % 2 === 1)];
  for (const limit of [1, 4, 14]) {
    const seen: string[] = [];
    for (let after: Asked['after']; ; ) {
      const { needed, counts } = await needs({ limit, after });
      expect(counts).toMatchObject({ review: 7, validation: 7, question: 0 });
      const page = needed.slice(0, limit);
      seen.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (needed.length <= limit || !last) break;
      after = { kind: last.kind, since: last.since, id: last.id };
    }
    expect(seen, `${limit} a page`).toEqual(expected);
  }
});

test('a column that gets another role changes what its items need', async () => {
  const task = await own.create('task', { column: 'To Document' });
  const columns = own.board.columns.map(({ id, name, role }) => ({
    ...{ id, name },
    role: name === 'To Document' ? ('review' as const) : role,
  }));
  expect(await told()).toEqual([]);
  await call(own.caller, 'boards.update', { id: own.board.id, columns });
  expect(await told()).toEqual([`review ${task.taskId}`]);
});

test('what is in other projects, or of others, is not there', async () => {
  const task = await own.create('task', { column: 'Review', assignee: 'Grace' });
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 0 });
  const other = await startProject('Other', own.organization);
  const limited = { ...other.caller, projects: [other.project.id] };
  const there = await other.create('task', { column: 'Testing' });
  expect(await told(limited)).toEqual([`validation ${there.taskId}`]);
  const { counts } = await needs({}, limited);
  expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([['validation', 1]]);
  expect(await told({ ...limited, organizationId: uuidv7() })).toEqual([]);
  expect(await told()).toEqual([`review ${task.taskId}`, `validation ${there.taskId}`, 'budget -']);
});

test('a repeated need is told again, and one that stays is not', async () => {
  const kinds = async () => {
    const { OutboxModel } = await import('@worktrack/runtime/database/outbox/outbox.model');
    const rows = await OutboxModel.find({
      organizationId: own.caller.organizationId,
      type: 'work_item.needs_attention',
    })
      .sort({ _id: 1 })
      .lean();
    return rows.map(({ data }) => (JSON.parse(data) as { kind: NeedKind }).kind);
  };
  const task = await claimed();
  await task.beat({ state: 'awaiting_input', question: 'Which?' });
  await task.beat({ state: 'awaiting_input' });
  await own.update(task.id, { title: 'New' });
  expect(await kinds()).toEqual(['question']);
  await task.beat({ state: 'awaiting_input', question: 'And which then?' });
  await task.complete();
  await own.update(task.id, { title: 'Newer' });
  expect(await kinds()).toEqual(['question', 'question', 'review']);
});

test('what earlier versions stored gets it, too, once, with what they did not check', async () => {
  const reviewed = await own.create('task', { column: 'Review' });
  const [waits, one, other] = [await own.create('task'), await own.create('task'), await own.create('task')];
  await storeUnchecked(waits.id, { dependsOn: ['W-T-99'] });
  await storeUnchecked(one.id, { dependsOn: [other.id] });
  await storeUnchecked(other.id, { dependsOn: [one.taskId] });
  const { organizationId } = own.caller;
  await ItemModel.updateMany({ organizationId }, { $unset: { needs: 1, blocked: 1, assigned: 1 } });
  expect(await told()).toEqual([]);
  const pass = async () => {
    for (let after: string | undefined = ''; after !== undefined; ) after = await attentionMigration.batch(after);
  };
  await pass();
  const { needed } = await needs();
  expect(needed.map(({ kind, id, blockedBy }) => [kind, id, blockedBy?.[0]?.reason])).toEqual([
    ['review', reviewed.id, undefined],
    ...[waits, one, other].map(({ id }, at) => ['blocked', id, at === 0 ? 'deleted' : 'cycle']),
  ]);
  const { revision } = (await ItemModel.findOne({ organizationId, _id: one.id }).lean()) ?? {};
  await pass();
  expect(await ItemModel.findOne({ organizationId, _id: one.id }).lean()).toMatchObject({ revision });
});

test('of kinds without anything, no more is asked than how many there are', async () => {
  const asked = async (limit: number) => {
    const queries: string[] = [];
    mongoose.set('debug', (collection: string, method: string) => void queries.push(`${collection}.${method}`));
    await needs({ limit });
    mongoose.set('debug', false);
    return queries.filter((each) => each.startsWith('work_items.')).length;
  };
  expect(await asked(0)).toBeGreaterThan(0);
  expect(await asked(100)).toBe(await asked(0));
});
