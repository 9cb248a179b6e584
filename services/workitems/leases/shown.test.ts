import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
afterEach(() => void vi.useRealTimers());
const goForward = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });

type ListInput = Parameters<typeof call<'workItems.list'>>[2];
const list = async (input: ListInput = {}) => (await call(project.caller, 'workItems.list', input)).workItems;
const claim = (fields: object = {}) => call(project.caller, 'workItems.claim', { agent: 'agent 7', ...fields });

describe('a lease', () => {
  test('is shown on the item wherever that is shown, without its token, and no longer once it has ended', async () => {
    const story = await project.create('story');
    const task = await project.create('task', { parentId: story.id, title: 'Unmistakable' });
    const before = Date.now();
    const { workItem, lease } = await claim({ leaseSeconds: 60 });
    const shown = {
      agent: 'agent 7',
      keyId: project.caller.keyId,
      claimedAt: expect.any(String),
      expiresAt: lease?.expiresAt,
      lastHeartbeatAt: expect.any(String),
      state: 'working',
      stalled: false,
      note: null,
      progress: null,
      question: null,
      tokensSoFar: null,
    };
    const everywhere = async () => [
      await project.get(task.id),
      ...(await list({ boardColumnId: project.column('In Progress'), type: 'task' })),
      ...(await list({ search: 'unmistakable' })),
      ...(await list({ search: task.taskId })),
      ...(await call(project.caller, 'workItems.resolve', { ids: [story.id] })).items,
      ...(await call(project.caller, 'workItems.implementContext', { ids: [story.id] })).tasks,
      (await call(project.caller, 'workItems.reviewContext', { taskId: task.id })).item,
    ];
    expect(workItem?.lease).toEqual(shown);
    expect(Date.parse(workItem?.lease?.claimedAt ?? '')).toBeGreaterThanOrEqual(before);
    for (const item of await everywhere()) expect(item.lease).toEqual(shown);
    expect(JSON.stringify(await everywhere())).not.toContain(lease?.token.split('.')[1]);
    expect((await project.update(task.id, { title: 'Unmistakable too' })).lease).toEqual(shown);
    goForward(61);
    for (const item of await everywhere()) expect(item.lease).toBeNull();
  });

  test('is stalled when half its time has passed without a renewal', async () => {
    const task = await project.create('task');
    const { lease } = await claim({ leaseSeconds: 100 });
    goForward(49);
    expect((await project.get(task.id)).lease).toMatchObject({ stalled: false });
    goForward(2);
    expect((await project.get(task.id)).lease).toMatchObject({ stalled: true, state: 'working' });
    const renewed = await claim({ leaseToken: lease?.token, leaseSeconds: 100 });
    expect(renewed.workItem?.lease).toMatchObject({ stalled: false, expiresAt: renewed.lease?.expiresAt });
  });

  test('can be filtered by in lists, with any other filter, on every page', async () => {
    const story = await project.create('story');
    for (let n = 0; n < 6; n++)
      await project.create('task', { parentId: n % 2 ? story.id : undefined, title: `A ${n}` });
    for (let n = 0; n < 4; n++) await claim({ leaseSeconds: n < 2 ? 100 : 1_000 });
    const ids = async (input: ListInput) => (await list(input)).map(({ id }) => id);
    const inProgress = await ids({ boardColumnId: project.column('In Progress'), type: 'task' });
    expect(inProgress).toHaveLength(4);
    expect(await ids({ leaseState: 'working' })).toEqual([...inProgress].sort().reverse());
    expect(await ids({ leaseState: 'working', boardColumnId: project.column('In Progress') })).toEqual(inProgress);
    expect(await ids({ leaseState: 'working', parentId: story.id })).toHaveLength(2);
    expect(await ids({ leaseState: 'working', search: 'a 1' })).toHaveLength(1);
    expect(await ids({ leaseState: 'stalled' })).toEqual([]);
    expect(await ids({ leaseState: 'awaiting_input' })).toEqual([]);
    goForward(51);
    const stalled = [...inProgress].sort().slice(0, 2).reverse();
    expect(await ids({ leaseState: 'stalled' })).toEqual(stalled);
    const first = await call(project.caller, 'workItems.list', { leaseState: 'stalled', limit: 1 });
    expect(first).toMatchObject({ workItems: [{ id: stalled[0] }], pagination: { total: 2 } });
    const cursor = first.nextCursor as string;
    const next = await call(project.caller, 'workItems.list', { leaseState: 'stalled', limit: 1, cursor });
    expect(next).toMatchObject({ workItems: [{ id: stalled[1] }], nextCursor: null });
    goForward(100);
    expect(await ids({ leaseState: 'stalled' })).toEqual([]);
    expect(await ids({ leaseState: 'working' })).toHaveLength(2);
  });
});

test('usage is grouped by the agent and by the key that recorded it', async () => {
  const other = { ...project.caller, keyId: uuidv7() };
  const review = { reviewColumnId: 'Review', model: 'gpt-5' };
  const tasks = [await project.create('task'), await project.create('task'), await project.create('task')];
  const { workItem, lease } = await call(other, 'workItems.claim', { agent: 'agent 8' });
  await claim();
  // With the token of the other’s lease, whoever has it.
  const workItemId = workItem?.id as string;
  await call(project.caller, 'workItems.completeAiTask', {
    ...review,
    workItemId,
    leaseToken: lease?.token as string,
    totalTokens: 5,
  });
  await call(project.caller, 'workItems.completeAiTask', {
    ...review,
    workItemId: tasks[1]?.id as string,
    totalTokens: 3,
  });
  await call(other, 'workItems.recordSession', { workItemId: tasks[2]?.id as string, model: 'gpt-5', totalTokens: 2 });
  const groups = async (groupBy: 'agent' | 'key') => {
    const { groups: found } = await call(project.caller, 'workItems.usage', { groupBy });
    return found?.map(({ key, label, totalTokens }) => [key, label, totalTokens]);
  };
  expect(await groups('agent')).toEqual([
    ['agent 8', 'agent 8', 5],
    ['agent 7', 'agent 7', 3],
    ['unknown', 'unknown', 2],
  ]);
  expect(await groups('key')).toEqual([
    [project.caller.keyId, project.caller.keyId, 8],
    [other.keyId, other.keyId, 2],
  ]);
});
