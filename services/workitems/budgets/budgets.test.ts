import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { foundBy } from '../items/found-by.ts';
import { ItemModel } from '../items/items.model.ts';
import { SessionModel } from '../sessions/sessions.model.ts';
import {
  call,
  failure,
  newCaller,
  startProject,
  startReplicas,
  startWorkItemsWith,
  stopWorkItems,
  type TestProject,
} from '../testing.ts';

beforeAll(() => startWorkItemsWith({ monitorCommands: 'true' }));
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
afterEach(() => void vi.useRealTimers());
const goForward = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });

/** A million tokens of it cost 3.4375 dollars; a little more than a dollar's worth, to allow for rounding. */
const MODEL = 'gpt-5';
const TOKENS_OF_A_DOLLAR = 290_920;
const spend = (workItemId: string, dollars: number) =>
  call(project.caller, 'workItems.recordSession', {
    workItemId,
    model: MODEL,
    totalTokens: Math.ceil(dollars * TOKENS_OF_A_DOLLAR),
  });
const limit = (fields: Parameters<typeof call<'workItems.setBudget'>>[2]) =>
  call(project.caller, 'workItems.setBudget', fields);
const claim = (fields: object = {}) => call(project.caller, 'workItems.claim', { agent: 'agent', ...fields });
const usage = async (workItemId?: string) =>
  (await call(project.caller, 'workItems.usage', workItemId ? { workItemId } : {})).budget;
const near = (dollars: number) => expect.closeTo(dollars, 2);

async function tree() {
  const epic = await project.create('epic');
  const feature = await project.create('feature', { parentId: epic.id });
  const story = await project.create('story', { parentId: feature.id });
  const task = await project.create('task', { parentId: story.id });
  return { epic, feature, story, task };
}

describe('a budget', () => {
  test('is for a project, an epic, a feature or a story, and for nothing else', async () => {
    const { epic, feature, story, task } = await tree();
    const idea = await project.create('idea');
    for (const { id, taskId } of [epic, feature, story]) {
      const { budget } = await limit({ workItemId: id, limitUsd: 5 });
      const spent = { recordedUsd: 0, inFlightUsd: 0 };
      expect(budget).toEqual({ of: taskId, limitUsd: 5, period: 'total', spentUsd: 0, spent, remainingUsd: 5 });
    }
    for (const { id } of [task, idea]) {
      expect((await failure(limit({ workItemId: id, limitUsd: 5 }))).code).toBe('VALIDATION_FAILED');
    }
    const { budget } = await call(project.caller, 'projects.setBudget', { id: project.project.id, limitUsd: 1 });
    expect(budget).toMatchObject({ of: 'project', limitUsd: 1 });
    const shown = async (question: { workItemId?: string } = {}) =>
      (await call(project.caller, 'workItems.usage', question)).budgets.map(({ of }) => of);
    expect(await shown()).toEqual(['project', epic.taskId, feature.taskId, story.taskId]);
    expect(await shown({ workItemId: feature.id })).toEqual(['project', epic.taskId, feature.taskId]);
    expect((await limit({ limitUsd: 2, period: 'month' })).budget).toMatchObject({ of: 'project', period: 'month' });
    expect(await limit({ limitUsd: null })).toEqual({ budget: null });
    expect(await usage()).toBeNull();
    const stranger = await startProject();
    expect((await failure(limit({ workItemId: (await stranger.create('epic')).id, limitUsd: 1 }))).code).toBe(
      'NOT_FOUND',
    );
    expect((await failure(limit({ projectId: stranger.project.id, limitUsd: 1 }))).code).toBe('NOT_FOUND');
    expect((await failure(limit({ workItemId: epic.id, projectId: project.project.id, limitUsd: 1 }))).code).toBe(
      'VALIDATION_FAILED',
    );
  });

  test('is of at least a millionth of a dollar, or of nothing', async () => {
    for (const limitUsd of [0, 0.000_001]) {
      expect((await limit({ limitUsd })).budget).toMatchObject({ limitUsd, remainingUsd: limitUsd });
    }
    await expect(limit({ limitUsd: 1e-7 })).rejects.toThrow('must be 0, or at least 0.000001');
    await expect(limit({ limitUsd: -1 })).rejects.toMatchObject({ issues: [{ code: 'too_small' }] });
  });

  test('that is used up keeps everything below it from being claimed, with ids and without, and the reason names it', async () => {
    const { epic, task } = await tree();
    const free = await project.create('task', { priority: 'low' });
    await spend(task.id, 3);
    await limit({ workItemId: epic.id, limitUsd: 5 });
    expect(await usage(epic.id)).toMatchObject({ spentUsd: near(3), remainingUsd: near(2) });
    await spend(task.id, 2);
    const reason = `The budget of ${epic.taskId} is used up: $5.00 of $5.00.`;
    expect(await claim({ ids: [epic.id] })).toMatchObject({ claimed: false, reason });
    expect((await claim({ ids: [task.id, free.id] })).workItem?.id).toBe(free.id);
    expect((await claim()).reason).toMatch(new RegExp(`^The budget of ${epic.taskId} is used up: .* is held by agent`));
    const other = await project.create('task', { priority: 'low' });
    expect((await claim()).workItem?.id).toBe(other.id);
    await limit({ workItemId: epic.id, limitUsd: 5.5 });
    expect((await claim()).workItem?.id).toBe(task.id);
  });

  test('for a project stops all of it, and null removes it', async () => {
    const { task } = await tree();
    await limit({ limitUsd: 1 });
    await spend(task.id, 1);
    expect(await claim()).toMatchObject({
      claimed: false,
      reason: 'The budget of the project is used up: $1.00 of $1.00.',
    });
    await limit({ limitUsd: null });
    expect((await claim()).workItem?.id).toBe(task.id);
  });

  test('counts what live leases have reported, and stops their agents', async () => {
    const { epic, story, task } = await tree();
    await limit({ workItemId: epic.id, limitUsd: 2 });
    await limit({ workItemId: story.id, limitUsd: 4 });
    await project.create('task', { parentId: story.id });
    const mine = await claim();
    const beat = (dollars: number) =>
      call(project.caller, 'workItems.progress', {
        workItemId: mine.workItem?.id as string,
        leaseToken: mine.lease?.token as string,
        model: MODEL,
        totalTokens: Math.ceil(dollars * TOKENS_OF_A_DOLLAR),
      });
    expect(await beat(1.5)).toMatchObject({
      budget: { of: epic.taskId, limitUsd: 2, spentUsd: near(1.5), remainingUsd: near(0.5) },
      stop: false,
    });
    expect(await beat(2)).toMatchObject({ budget: { spentUsd: near(2) }, stop: true });
    expect((await claim()).reason).toContain(`The budget of ${epic.taskId} is used up`);
    // The completion reports the same tokens, and no more.
    await call(project.caller, 'workItems.completeAiTask', {
      workItemId: task.id,
      leaseToken: mine.lease?.token as string,
      reviewColumnId: 'Review',
      model: MODEL,
      totalTokens: Math.ceil(1.75 * TOKENS_OF_A_DOLLAR),
    });
    expect(await usage(story.id)).toMatchObject({ of: epic.taskId, spentUsd: near(1.75) });
    const next = await claim();
    expect(next.claimed).toBe(true);
    const token = { workItemId: next.workItem?.id as string, leaseToken: next.lease?.token as string };
    await call(project.caller, 'workItems.progress', { ...token, model: MODEL, totalTokens: TOKENS_OF_A_DOLLAR });
    await call(project.caller, 'workItems.release', token);
    expect(await usage(epic.id)).toMatchObject({ spentUsd: near(2.75) });
    expect((await claim()).claimed).toBe(false);
  });

  test('of what was a task until it became a feature counts what its own agent has reported', async () => {
    const { task } = await tree();
    const leaseToken = (await claim({ ids: [task.id] })).lease?.token as string;
    const report = { model: MODEL, totalTokens: 3 * TOKENS_OF_A_DOLLAR };
    await call(project.caller, 'workItems.progress', { workItemId: task.id, leaseToken, ...report });
    await call(project.caller, 'workItems.update', { id: task.id, type: 'feature', parentId: null, takeOver: true });
    const { budget } = await limit({ workItemId: task.id, limitUsd: 5 });
    expect(budget?.spent).toEqual({ recordedUsd: 0, inFlightUsd: near(3) });
    await call(project.caller, 'workItems.release', { workItemId: task.id, leaseToken });
    expect((await usage(task.id))?.spent).toEqual({ recordedUsd: near(3), inFlightUsd: 0 });
  });

  test('per day or month starts afresh with each', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-01-31T12:00:00Z') });
    const { epic, task } = await tree();
    await limit({ workItemId: epic.id, limitUsd: 1, period: 'day' });
    await limit({ limitUsd: 10, period: 'month' });
    await spend(task.id, 1);
    expect((await claim()).reason).toContain('$1.00 of $1.00 a day');
    goForward(24 * 60 * 60);
    expect(await usage(epic.id)).toMatchObject({ of: epic.taskId, spentUsd: 0 });
    expect(await usage()).toMatchObject({ of: 'project', spentUsd: 0, period: 'month' });
    expect((await claim()).claimed).toBe(true);
    await spend(task.id, 0.25);
    expect(await usage(epic.id)).toMatchObject({ spentUsd: near(0.25) });
  });

  test('follows what is moved below it, or out of it, and what is deleted', async () => {
    const { epic, feature, story, task } = await tree();
    const other = await project.create('epic');
    for (const { id } of [epic, other, story]) await limit({ workItemId: id, limitUsd: 9 });
    await spend(task.id, 1);
    const spent = async (id: string) => {
      const { budget } = await call(project.caller, 'workItems.usage', { workItemId: id });
      return budget?.spentUsd;
    };
    expect(await spent(epic.id)).toEqual(near(1));
    await project.update(feature.id, { parentId: other.id });
    expect([await spent(epic.id), await spent(other.id)]).toEqual([0, near(1)]);
    await spend(task.id, 1);
    expect([await spent(epic.id), await spent(other.id)]).toEqual([0, near(2)]);
    await call(project.caller, 'workItems.delete', { id: task.id });
    expect(await spent(other.id)).toEqual(near(2));
    await call(project.caller, 'workItems.delete', { id: feature.id });
    expect(await spent(story.id)).toEqual(near(2));
    await project.update(story.id, { type: 'task' });
    expect(await usage(story.id)).toBeNull();
  });

  test('of an epic is counted exactly, and by commands of bounded size, however many items are below it', async () => {
    const epic = await project.create('epic');
    const task = await project.create('task', { parentId: epic.id });
    await spend(task.id, 1);
    const [above, item] = [await ItemModel.findById(epic.id).lean(), await ItemModel.findById(task.id).lean()];
    const session = await SessionModel.findOne({ workItemId: task.id }).lean();
    const others = Array.from({ length: 2_500 }, (_, n) => ({ _id: uuidv7(), taskId: `W-T-${10_000 + n}` }));
    await ItemModel.insertMany(
      others.map((other) => ({ ...item, ...other, foundBy: foundBy(other, above) })),
      { lean: true },
    );
    await SessionModel.insertMany(
      others.map(({ _id }) => ({ ...session, _id: uuidv7(), workItemId: _id, countedFor: _id })),
      { lean: true },
    );
    let longest = 0;
    const note = ({ command }: mongo.CommandStartedEvent) => {
      const ids = command.pipeline?.[0]?.$match?.countedFor?.$in ?? [];
      longest = Math.max(longest, ids.length);
    };
    const client = mongoose.connection.getClient().on('commandStarted', note);
    const { budget } = await limit({ workItemId: epic.id, limitUsd: 10_000 });
    client.off('commandStarted', note);
    expect(budget?.spentUsd).toBeCloseTo(2_501, 0);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(1_000);
  });

  test('is shown where the work is planned and traced; of several, the tightest', async () => {
    const { epic, story, task } = await tree();
    await limit({ limitUsd: 100 });
    await limit({ workItemId: epic.id, limitUsd: 3 });
    await spend(task.id, 1);
    const spent = { spentUsd: near(1), spent: { recordedUsd: near(1), inFlightUsd: 0 } };
    const shown = { of: epic.taskId, limitUsd: 3, period: 'total', ...spent, remainingUsd: near(2) };
    const plan = await call(project.caller, 'workItems.implementContext', { ids: [story.id] });
    expect(plan.budget).toEqual(shown);
    expect((await call(project.caller, 'workItems.lineage', { id: task.id })).budget).toEqual(shown);
    const elsewhere = await project.create('task');
    const apart = await call(project.caller, 'workItems.implementContext', { ids: [elsewhere.id] });
    expect(apart.budget).toMatchObject({ of: 'project' });
  });
});

test('of 200 agents on two replicas none claims anything once the limit has been spent', async () => {
  const replicas = await startReplicas(2);
  const own = await startProject('Worktrack', newCaller(), replicas.call);
  const { caller } = own;
  const epic = await own.create('epic');
  const ids = await Promise.all(Array.from({ length: 60 }, () => own.create('task', { parentId: epic.id })));
  await replicas.call(caller, 'workItems.setBudget', { workItemId: epic.id, limitUsd: 5 });
  const cost = 0.5;
  let acknowledged = 0;
  let usedUpAtMs = Number.POSITIVE_INFINITY;
  const claims: { readonly sentAtMs: number; readonly claimed: boolean; readonly reason: string | undefined }[] = [];
  async function agent(n: number): Promise<void> {
    for (;;) {
      const sentAtMs = performance.now();
      const mine = { ...caller, keyId: uuidv7() };
      const { claimed, workItem, lease, reason } = await replicas.call(mine, 'workItems.claim', {
        agent: `agent ${n}`,
      });
      claims.push({ sentAtMs, claimed, reason });
      if (!workItem || !lease) return;
      await replicas.call(mine, 'workItems.completeAiTask', {
        workItemId: workItem.id,
        leaseToken: lease.token,
        reviewColumnId: 'Review',
        model: MODEL,
        totalTokens: Math.ceil(cost * TOKENS_OF_A_DOLLAR),
      });
      acknowledged += cost;
      if (acknowledged >= 5) usedUpAtMs = Math.min(usedUpAtMs, performance.now());
    }
  }
  // The first few spend nearly all of it; then all the others come at once.
  await Promise.all([agent(0), agent(1), ...Array.from({ length: 198 }, (_, n) => agent(n + 2))]);
  expect(claims.filter(({ sentAtMs, claimed }) => claimed && sentAtMs > usedUpAtMs)).toEqual([]);
  const { budget } = await replicas.call(caller, 'workItems.usage', { workItemId: epic.id });
  expect(budget?.spentUsd).toBeCloseTo(claims.filter(({ claimed }) => claimed).length * cost, 1);
  const last = await Promise.all(
    Array.from({ length: 20 }, () =>
      replicas.call(caller, 'workItems.claim', { agent: 'late', ids: ids.map(({ id }) => id) }),
    ),
  );
  expect(last.map(({ claimed }) => claimed)).toEqual(last.map(() => false));
  expect(last[0]?.reason).toMatch(/^The budget of W-E-1 is used up: |in review/);
  await replicas.stop();
});

test('of agents that work on two replicas each spends at most one heartbeat beyond the limit', async () => {
  const agents = 30;
  const beatDollars = 0.05;
  const limitUsd = 2;
  const replicas = await startReplicas(2);
  const own = await startProject('Worktrack', newCaller(), replicas.call);
  const { caller } = own;
  const epic = await own.create('epic');
  const ids = await Promise.all(Array.from({ length: agents }, () => own.create('task', { parentId: epic.id })));
  await replicas.call(caller, 'workItems.setBudget', { workItemId: epic.id, limitUsd });
  const leases = await Promise.all(ids.map(() => replicas.call(caller, 'workItems.claim', { agent: 'agent' })));
  // All of them at once, round by round: the limit is reached in the middle of one.
  let working = leases.map(({ workItem, lease }) => ({
    workItemId: workItem?.id as string,
    leaseToken: lease?.token as string,
  }));
  for (let beats = 1; working.length > 0; beats++) {
    const totalTokens = Math.ceil(beats * beatDollars * TOKENS_OF_A_DOLLAR);
    const answers = await Promise.all(
      working.map((mine) => replicas.call(caller, 'workItems.progress', { ...mine, model: MODEL, totalTokens })),
    );
    working = working.filter((_, n) => !answers[n]?.stop);
  }
  const { budget } = await replicas.call(caller, 'workItems.usage', { workItemId: epic.id });
  expect(budget?.spentUsd).toBeGreaterThanOrEqual(limitUsd);
  const roundingUsd = 0.01;
  expect(budget?.spentUsd).toBeLessThanOrEqual(limitUsd + agents * beatDollars + roundingUsd);
  await replicas.stop();
});
