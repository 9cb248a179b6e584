import { type ErrorCode, OperationError } from '@worktrack/contracts/errors';
import type { Input, Operation } from '@worktrack/contracts/operation';
import { getWorkItem } from '@worktrack/contracts/work-items/get';
import { resolveWorkItems as resolve } from '@worktrack/contracts/work-items/resolve';
import type { Call } from '@worktrack/rpc/types';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { resolveWorkItems } from '../trees/resolve.ts';
import { getWorkItems } from './shown/get.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

/** As it comes out of a message. */
function callOf<Op extends Operation>(operation: Op, { caller }: TestProject, input: unknown): Call<Op> {
  const fail = (code: ErrorCode, message: string) => new OperationError(code, message);
  return { input: operation.input.parse(input) as Input<Op>, context: { caller, fail } as Call<Op>['context'] };
}

/** The collections of the commands that `run` sends. */
async function queriesOf<T>(run: () => Promise<T>): Promise<{ readonly answer: T; readonly queries: string[] }> {
  const queries: string[] = [];
  mongoose.set('debug', (collection: string) => {
    // The process itself reports now and then that it is alive.
    if (collection !== 'transaction_owners') queries.push(collection);
  });
  try {
    return { answer: await run(), queries: queries.sort() };
  } finally {
    mongoose.set('debug', false);
  }
}

test('all items requested in one message are one query per organization, and each call gets its own answer', async () => {
  const [one, two] = [await startProject(), await startProject()];
  const [a, b] = [await one.create('task', { title: 'a' }), await one.create('epic', { title: 'b' })];
  const c = await two.create('idea', { title: 'c', metadata: { large: true } });
  const calls = [
    callOf(getWorkItem, one, { id: b.taskId }),
    callOf(getWorkItem, two, { id: c.id }),
    callOf(getWorkItem, two, { id: a.id }),
    callOf(getWorkItem, one, { id: a.id }),
    callOf(getWorkItem, one, { id: a.id }),
  ];
  const { answer, queries } = await queriesOf(() => getWorkItems(calls));
  expect(answer.map((each) => ('output' in each ? each.output : each.error.code))).toEqual([b, c, 'NOT_FOUND', a, a]);
  expect(queries).toEqual(['boards', 'boards', 'work_items', 'work_items']);
});

test('what one message resolves is found together, and each call gets what it would get alone', async () => {
  const own = await startProject();
  const feature = await own.create('feature');
  const story = await own.create('story', { parentId: feature.id });
  const task = await own.create('task', { parentId: story.id, description: 'First' });
  await own.create('task', { parentId: story.id, description: 'Second' });
  const lone = await own.create('task', { description: 'Lone' });
  const inputs = [
    { ids: [lone.taskId] },
    { ids: [feature.id, 'nothing'] },
    { ids: [story.taskId], includeLeafTasks: false },
    { ids: [feature.id], maxDepth: 1 },
    { ids: [task.id, task.taskId] },
    { ids: Array.from({ length: 20 }, (_, index) => `W-T-${index + 1}`) },
  ];
  const alone = [];
  for (const input of inputs) alone.push(await call(own.caller, 'workItems.resolve', input));
  const { answer, queries } = await queriesOf(() =>
    resolveWorkItems(inputs.map((input) => callOf(resolve, own, input))),
  );
  expect(answer).toEqual(alone.map((output) => ({ output })));
  expect(alone.map(({ items }) => items.map(({ description }) => description))).toEqual([
    ['Lone'],
    ['First', 'Second'],
    [''],
    [],
    ['First'],
    ['First', 'Second', 'Lone'],
  ]);
  // Five together: items, boards and the descriptions of leaf tasks. The large one alone: what it names are tasks.
  expect(queries).toEqual(['boards', 'boards', 'work_items', 'work_items', 'work_items']);
});

test('the words of items that are commented at once are read together, and each item keeps its own', async () => {
  const own = await startProject();
  const items = [await own.create('task'), await own.create('task'), await own.create('idea')];
  const say = (text: string) =>
    Promise.all(
      items.map(({ id }, index) => call(own.caller, 'workItems.comment', { workItemId: id, text: `${text}${index}` })),
    );
  await say('walrus');
  const { queries } = await queriesOf(() => say('otter'));
  expect(queries.filter((collection) => collection === 'work_item_search')).toHaveLength(1);
  for (const [index, { id }] of items.entries()) {
    for (const word of [`walrus${index}`, `otter${index}`]) {
      const { workItems } = await call(own.caller, 'workItems.list', { search: word });
      expect(workItems.map((found) => found.id)).toEqual([id]);
    }
  }
});

test('tasks that are created at once below one story wait for the same tasks without waiting for one another', async () => {
  const own = await startProject();
  const [story, free] = [await own.create('story'), await own.create('task')];
  const waiting = await own.create('task', { dependsOn: [free.id] });
  await own.create('task', { parentId: story.id, dependsOn: [waiting.id] });
  const { queries } = await queriesOf(() =>
    Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        own.create('task', { parentId: story.id, dependsOn: [index % 2 === 0 ? free.id : waiting.id] }),
      ),
    ),
  );
  // Half of the tasks depend on one that itself waits. Each of these reads its project once, so none runs again.
  expect(queries.filter((collection) => collection === 'projects')).toHaveLength(15);
});
