import { ROLE_NAMES, roleOfName } from '@worktrack/contracts/projects/column-roles';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import fc from 'fast-check';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { followChildren } from './cascade-rule.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

async function family(p: TestProject = project) {
  const epic = await p.create('epic');
  const feature = await p.create('feature', { parentId: epic.id });
  const story = await p.create('story', { parentId: feature.id });
  const [one, two] = [await p.create('task', { parentId: story.id }), await p.create('task', { parentId: story.id })];
  return { epic, feature, story, one, two };
}
const columnOf = async (item: WorkItem) => (await project.get(item.id)).columnName;

describe('parents follow', () => {
  test('to In Progress with the first child that starts, and to Done with the last, all the way up', async () => {
    const { epic, feature, story, one, two } = await family();
    const started = await project.move(one.id, 'In Progress');
    const up = (fromColumn: string, toColumn: string) =>
      [story, feature, epic].map(({ id, taskId }) => ({ id, taskId, fromColumn, toColumn }));
    expect(started.cascaded).toEqual(up('Backlog', 'In Progress'));
    expect((await project.get(epic.id)).isAiProcessing).toBe(true);

    expect((await project.move(two.id, 'Done')).cascaded).toEqual([]);
    expect((await project.move(one.id, 'Review')).cascaded).toEqual([]);
    expect((await project.move(one.id, 'Done')).cascaded).toEqual(up('In Progress', 'Done'));
    expect((await project.get(epic.id)).isAiProcessing).toBe(false);

    const [moved] = await project.history(feature.id);
    expect(moved).toMatchObject({
      eventType: 'moved',
      data: { fromColumn: 'In Progress', toColumn: 'Done', isAutoSync: true, causedBy: story.id },
    });
  });

  test('however many other children there are, of which one is read', async () => {
    const story = await project.create('story');
    const child = { title: 'One of many', type: 'task' as const, parentId: story.id };
    const { items } = await call(project.caller, 'workItems.createMany', { items: new Array(100).fill(child) });
    const [one, two] = items;
    let most = 0;
    const note = ({ reply }: mongo.CommandSucceededEvent) => {
      const { cursor } = reply as { cursor?: { ns: string; firstBatch: readonly unknown[] } };
      if (cursor?.ns.endsWith('work_items')) most = Math.max(most, cursor.firstBatch.length);
    };
    const client = mongoose.connection.getClient();
    client.on('commandSucceeded', note);
    expect((await project.move(one?.id ?? '', 'Done')).cascaded).toHaveLength(1);
    expect((await project.move(two?.id ?? '', 'Done')).cascaded).toEqual([]);
    client.off('commandSucceeded', note);
    expect(most).toBe(1);
  });

  test('no further than the first that stays', async () => {
    const { epic, feature, story, one, two } = await family();
    await project.create('story', { parentId: feature.id });
    await project.move(one.id, 'Done');
    expect((await project.move(two.id, 'Done')).cascaded.map(({ id }) => id)).toEqual([story.id]);
    expect([await columnOf(feature), await columnOf(epic)]).toEqual(['In Progress', 'In Progress']);
  });

  test('not if the move says that it is itself a cascade', async () => {
    const { story, one } = await family();
    expect((await project.move(one.id, 'In Progress', { isAutoSync: true })).cascaded).toEqual([]);
    expect(await columnOf(story)).toBe('Backlog');
    expect((await project.history(one.id))[0]?.data).toEqual({
      fromColumn: 'Backlog',
      toColumn: 'In Progress',
      isAutoSync: true,
    });
  });

  test('not after a batch', async () => {
    const { story, one, two } = await family();
    const workItemIds = [one.id, two.id];
    await call(project.caller, 'workItems.batchMove', { workItemIds, boardColumnId: project.column('Done') });
    expect(await columnOf(story)).toBe('Backlog');
  });

  test('on the parent’s own board, and stay where that has no such column', async () => {
    const own = await startProject();
    const names = {
      id: own.project.id,
      name: 'Roadmap',
      columns: [{ name: 'Backlog' }, { name: 'Done' }, { name: 'Doing' }],
    };
    const roadmap = await call(own.caller, 'boards.create', names);
    const kept = roadmap.columns.slice(0, 2).map(({ id, name }) => ({ id, name }));
    await call(own.caller, 'boards.update', { id: roadmap.id, columns: kept });
    const there = { boardId: roadmap.id, boardColumnId: roadmap.columns[0]?.id };
    const epic = await own.create('epic', there);
    const task = await own.create('task', { parentId: epic.id });
    expect((await own.move(task.id, 'In Progress')).cascaded).toEqual([]);
    await own.move(task.id, 'Done');
    expect((await own.get(epic.id)).boardColumnId).toBe(roadmap.columns[1]?.id);
  });
});

/** A tree of tasks: each has the index of its parent, which comes before it. */
const tree = fc
  .array(fc.nat(), { minLength: 2, maxLength: 9 })
  .map((seeds) => seeds.map((seed, index) => (index === 0 || seed % 5 === 0 ? null : seed % index)));
const columns = ['Backlog', 'To Do', 'In Progress', 'Review', 'Done'] as const;
const moves = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...columns, 'Done', 'Done')), {
  minLength: 1,
  maxLength: 12,
});

/** The rule of the reference, in plain form: what a move does to the whole tree. */
function moveInModel(parents: readonly (number | null)[], state: string[], moved: number, to: string): number[] {
  state[moved] = to;
  const cascaded: number[] = [];
  for (let child: number | null = moved; child !== null; ) {
    const parent: number | null = parents[child] ?? null;
    if (parent === null) break;
    const siblings = state.filter((_, index) => parents[index] === parent);
    const next = followChildren(roleOfName(state[parent] ?? ''), siblings.map(roleOfName));
    if (!next) break;
    state[parent] = ROLE_NAMES[next][0] as string;
    cascaded.push(parent);
    child = parent;
  }
  return cascaded;
}

describe('on any tree, after any moves', () => {
  test('every item is where the rule says, and its history lists each of its moves', async () => {
    await fc.assert(
      fc.asyncProperty(tree, moves, async (parents, steps) => {
        const items: WorkItem[] = [];
        for (const parent of parents) {
          items.push(await project.create('task', { parentId: parent === null ? undefined : items[parent]?.id }));
        }
        const state = parents.map(() => 'Backlog');
        const trails = parents.map(() => ['Backlog']);
        for (const [seed, to] of steps) {
          const moved = seed % items.length;
          const { cascaded } = await project.move(items[moved]?.id ?? '', to);
          const expected = moveInModel(parents, state, moved, to);
          expect(cascaded.map(({ id }) => id)).toEqual(expected.map((index) => items[index]?.id));
          trails[moved]?.push(to);
          for (const index of expected) trails[index]?.push(state[index] ?? '');
        }
        for (const [index, item] of items.entries()) {
          expect(await columnOf(item)).toBe(state[index]);
          const told = (await project.history(item.id)).reverse().slice(1);
          expect(['Backlog', ...told.map(({ data }) => data.toColumn)]).toEqual(trails[index]);
        }
      }),
      { numRuns: 6 },
    );
  });
});

test('what goes below one of its siblings, and thereby to Done, is no longer a child of its old parent', async () => {
  const parent = await project.create('task');
  const sibling = await project.create('task', { parentId: parent.id });
  const item = await project.create('task', { parentId: parent.id });
  await project.update(item.id, { parentId: sibling.id, boardColumnId: project.column('Done') });
  expect(await columnOf(sibling)).toBe('Done');
  expect(await columnOf(parent)).toBe('Done');
});
