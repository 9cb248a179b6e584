import type { RawInput } from '@worktrack/contracts/operation';
import type { resolveWorkItems } from '@worktrack/contracts/work-items/resolve';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const resolve = (ids: string[], options: Omit<RawInput<typeof resolveWorkItems>, 'ids'> = {}) =>
  call(project.caller, 'workItems.resolve', { ids, ...options });
const outline = ({ items }: Awaited<ReturnType<typeof resolve>>) =>
  items.map(({ taskId, resolvedFrom }) => [taskId, resolvedFrom]);

async function family() {
  const epic = await project.create('epic');
  const feature = await project.create('feature', { parentId: epic.id });
  const story = await project.create('story', { parentId: feature.id });
  const one = await project.create('task', { parentId: story.id });
  const two = await project.create('task', { parentId: feature.id });
  return { epic, feature, story, one, two };
}

describe('inputs are resolved', () => {
  test('by UUID and task ID in any case; what matches nothing is listed, however it looks', async () => {
    const task = await project.create('task', { title: 'Found', description: 'Here', assignee: 'ada' });
    const stranger = await (await startProject()).create('task');
    const nothing = ['nope', 'W-T-99999', stranger.id, '$ne', '  '];
    const ids = [task.taskId.toLowerCase(), ...nothing, task.id.toUpperCase()];
    const answer = await resolve(ids);
    expect(answer).toMatchObject({ inputIds: ids, notFound: nothing, withoutLeafTasks: [], truncated: false });
    const { id, taskId, title, type, description, priority, assignee, boardColumnId, columnName, parentId } = task;
    expect(answer.items).toEqual([
      {
        ...{ id, taskId, title, type, description, priority, assignee, boardColumnId, columnName, parentId },
        ...{ labels: [], dueDate: null, estimate: null },
        ...{ isAiProcessing: false, lease: null, version: 1, resolvedFrom: [ids[0], ids[6]] },
      },
    ]);
  });

  test('into their leaf tasks if they are not tasks, each once, with all that led to it', async () => {
    const { epic, story, one, two } = await family();
    expect(outline(await resolve([story.taskId, epic.id, one.taskId]))).toEqual([
      [one.taskId, [story.taskId, epic.id, one.taskId]],
      [two.taskId, [epic.id]],
    ]);
  });

  test('without their leaf tasks on request', async () => {
    const { epic, one } = await family();
    expect(outline(await resolve([epic.id, one.id], { includeLeafTasks: false }))).toEqual([
      [epic.taskId, [epic.id]],
      [one.taskId, [one.id]],
    ]);
  });

  test('into nothing if there is no leaf task, and the answer says so', async () => {
    const { epic } = await family();
    const empty = await project.create('epic');
    const feature = await project.create('feature', { parentId: empty.id });
    const answer = await resolve([empty.taskId, epic.id, feature.id]);
    expect(answer.withoutLeafTasks).toEqual([empty.taskId, feature.id]);
    expect(answer.items).toHaveLength(2);
    expect(answer.truncated).toBe(false);
  });
});

describe('a leaf task', () => {
  test('has no tasks below it; a task that is asked for stands for itself', async () => {
    const story = await project.create('story');
    const outer = await project.create('task', { parentId: story.id });
    const inner = await project.create('task', { parentId: outer.id });
    const plain = await project.create('task', { parentId: story.id });
    expect(outline(await resolve([story.id]))).toEqual([
      [inner.taskId, [story.id]],
      [plain.taskId, [story.id]],
    ]);
    expect(outline(await resolve([outer.id]))).toEqual([[outer.taskId, [outer.id]]]);
  });

  test('is at most maxDepth levels below its input; what is deeper is not followed, and that is said', async () => {
    const { epic, story, one, two } = await family();
    const at = async (maxDepth: number, ...ids: string[]) => {
      const answer = await resolve(ids, { maxDepth });
      return [answer.items.map(({ taskId }) => taskId), answer.truncated, answer.withoutLeafTasks];
    };
    expect(await at(1, epic.id)).toEqual([[], true, []]);
    expect(await at(2, epic.id)).toEqual([[two.taskId], true, []]);
    expect(await at(3, epic.id)).toEqual([[one.taskId, two.taskId], false, []]);
    // One level below one input is a different level below another.
    expect(await at(1, epic.id, story.id)).toEqual([[one.taskId], true, []]);
    // An input without tasks gets none from its own depth or that of another input.
    const empty = await project.create('epic');
    await project.create('story', { parentId: (await project.create('feature', { parentId: empty.id })).id });
    expect(await at(1, empty.id, epic.id)).toEqual([[], true, [empty.id]]);
    expect(await at(2, epic.id, story.id)).toEqual([[two.taskId, one.taskId], true, []]);
  });

  test('at the last level counts as one, whatever is below it', async () => {
    const idea = await project.create('idea');
    const outer = await project.create('task', { parentId: idea.id });
    await project.create('task', { parentId: outer.id });
    const answer = await resolve([idea.id], { maxDepth: 1 });
    expect(outline(answer)).toEqual([[outer.taskId, [idea.id]]]);
    expect(answer.truncated).toBe(true);
  });
});
