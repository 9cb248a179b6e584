import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
const lineage = (id: string) => call(project.caller, 'workItems.lineage', { id });
const names = (items: readonly { title: string }[]) => items.map(({ title }) => title);

test('an item stems from the idea that is above it, or that it or an ancestor names, by either id', async () => {
  const idea = await project.create('idea', { title: 'Idea' });
  const below = await project.create('task', { parentId: idea.id });
  const naming = await project.create('epic', { metadata: { ideaId: idea.taskId.toLowerCase() } });
  const deep = await project.create('feature', { parentId: naming.id });
  const byUuid = await project.create('task', { metadata: { ideaId: idea.id.toUpperCase() } });
  for (const item of [idea, below, naming, deep, byUuid]) {
    expect((await lineage(item.id)).idea, item.taskId).toMatchObject({ id: idea.id, title: 'Idea', type: 'idea' });
  }
});

test.each([
  ['nothing', undefined],
  ['what is not an idea', 'task'],
  ['what does not exist', 'W-I-9999'],
  ['what cannot be an id', { not: 'an id' }],
])('an item that names %s stems from no idea', async (_, named) => {
  const other = await project.create('task');
  const item = await project.create('epic');
  await storeUnchecked(item.id, { ideaId: named === 'task' ? other.id : named });
  expect((await lineage(item.id)).idea).toBeNull();
});

test('what was made of an idea is what is below it, what names it, and all below that; with all sessions', async () => {
  const idea = await project.create('idea');
  const below = await project.create('task', { title: 'below', parentId: idea.id });
  const epic = await project.create('epic', { title: 'names it', metadata: { ideaId: idea.id } });
  const feature = await project.create('feature', { title: 'feature', parentId: epic.id });
  const task = await project.create('task', { title: 'task', parentId: feature.id, metadata: { ideaId: idea.taskId } });
  await project.create('task', { title: 'something else' });
  for (const item of [idea, below, task]) {
    await call(project.caller, 'workItems.recordSession', {
      workItemId: item.id,
      model: 'gpt-5',
      totalTokens: 1_000_000,
    });
  }
  const made = await lineage(idea.taskId);
  expect(names(made.descendants)).toEqual(['below', 'names it', 'feature', 'task']);
  expect(made.sessions.map(({ taskId }) => taskId)).toEqual([idea.taskId, below.taskId, task.taskId]);
  expect(made.totals).toMatchObject({ sessions: 3, totalTokens: 3_000_000, estimatedCost: '10.312500' });
  expect(made.workItem).toMatchObject({ id: idea.id, columnName: 'Backlog' });

  const ofEpic = await lineage(epic.id);
  expect(names(ofEpic.descendants)).toEqual(['feature', 'task']);
  expect(ofEpic.totals.sessions).toBe(1);
});

test('items of other organizations are neither found nor followed', async () => {
  const stranger = await startProject();
  const theirs = await stranger.create('idea');
  const item = await project.create('epic');
  await storeUnchecked(item.id, { ideaId: theirs.id });
  expect((await lineage(item.id)).idea).toBeNull();
  expect(await failure(lineage(theirs.id))).toMatchObject({ code: 'NOT_FOUND' });
  const seen = await call(stranger.caller, 'workItems.lineage', { id: theirs.id });
  expect(seen.descendants).toEqual([]);
});
