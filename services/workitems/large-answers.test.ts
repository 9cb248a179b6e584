import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foundBy } from './items/found-by.ts';
import { ItemModel, type ItemRecord } from './items/items.model.ts';
import { SessionModel } from './sessions/sessions.model.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from './testing.ts';

/** The maximum size of an answer over RPC (libs/rpc/server/call-runner.ts). */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const COUNT = 6_000;
const LONG_TITLE = '語'.repeat(500);
const LONG_NAME = '語'.repeat(190);

let project: TestProject;
let story: string;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
  ({ id: story } = await project.create('story', { title: LONG_TITLE }));
  const { organizationId } = project.caller;
  const parent = await ItemModel.findOne({ organizationId, _id: story }).orFail().lean();
  const tasks = Array.from({ length: COUNT }, (_, number): ItemRecord => {
    const names = { _id: uuidv7(), taskId: `W-T-${1_000 + number}` };
    return { ...parent, ...names, type: 'task', parentId: story, foundBy: foundBy(names, parent) };
  });
  await ItemModel.insertMany(tasks, { lean: true });
});
afterAll(stopWorkItems);

const bytesOf = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));

test('the plan of very many tasks says how many there are', async () => {
  const plan = await call(project.caller, 'workItems.implementContext', { ids: [story] });
  expect(bytesOf(plan)).toBeLessThan(MAX_ANSWER_BYTES);
  expect(plan).toMatchObject({ truncated: true, counts: { tasks: COUNT, waves: 1, cycles: 0 } });
  expect(plan.tasks.length).toBeGreaterThan(1_000);
  // For all of them it says which come first.
  expect(plan.waves[0]).toHaveLength(COUNT);
});

test('of the very many items that inputs resolve to, as many are returned as one answer can hold', async () => {
  const answer = await call(project.caller, 'workItems.resolve', { ids: [story] });
  expect(bytesOf(answer)).toBeLessThan(MAX_ANSWER_BYTES);
  expect(answer.truncated).toBe(true);
  expect(answer.items.length).toBeGreaterThan(1_000);
});

test('the cost of very many agents says how many there are, next to the sum of all', async () => {
  const { organizationId, keyId } = project.caller;
  const session = {
    ...{ organizationId, projectId: project.project.id, workItemId: story, countedFor: story, taskId: 'W-S-1', keyId },
    ...{ aiModel: 'a model', provider: 'somebody', sessionType: 'task', totalTokens: 1, createdAt: new Date() },
    ...{ inputTokens: null, outputTokens: null, durationMs: null, costMicrodollars: null },
  };
  await SessionModel.insertMany(
    Array.from({ length: COUNT }, (_, number) => ({ ...session, _id: uuidv7(), agent: `${LONG_NAME} ${number}` })),
    { lean: true },
  );
  const usage = await call(project.caller, 'workItems.usage', { groupBy: 'agent' });
  expect(bytesOf(usage)).toBeLessThan(MAX_ANSWER_BYTES);
  expect(usage).toMatchObject({
    totals: { sessions: COUNT },
    truncated: true,
    counts: { groups: COUNT, budgets: 0 },
  });
  expect(usage.groups?.length).toBeGreaterThan(1_000);
});
