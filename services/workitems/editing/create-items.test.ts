import { createWorkItems } from '@worktrack/contracts/work-items/changes/create-items';
import { faultsOf } from '@worktrack/runtime/validation/parse';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});

type Items = Parameters<typeof call<'workItems.createMany'>>[2]['items'];
const create = (items: Items, common: object = {}) =>
  call(project.caller, 'workItems.createMany', { items, ...common });
const detailsOf = (error: Awaited<ReturnType<typeof failure>>) => error.toValue().details ?? [];
const counted = () => ItemModel.countDocuments({ organizationId: project.caller.organizationId });

describe('many items at once', () => {
  test('are the plan of an epic with tasks that depend on each other, in one call', async () => {
    const tasks = Array.from({ length: 12 }, (_, n) => ({
      ref: `t${n}`,
      title: `Task ${n}`,
      type: 'task' as const,
      parentId: '#epic',
      ...(n > 0 && { dependsOn: [`#t${n - 1}`] }),
    }));
    // The epic comes last: order within a call does not matter.
    const { items } = await create([...tasks, { ref: 'epic', title: 'All', type: 'epic' }]);
    expect(items.map(({ ref }) => ref)).toEqual([...tasks.map(({ ref }) => ref), 'epic']);
    const numbers = items.map(({ taskId }) => Number(taskId.split('-')[2]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const epic = items.at(-1);
    const second = await project.get(items[1]?.id as string);
    expect(second).toMatchObject({
      parentId: epic?.id,
      columnName: 'Backlog',
      metadata: { dependsOn: [items[0]?.taskId] },
    });
    const { workItem } = await call(project.caller, 'workItems.claim', { agent: 'one' });
    expect(workItem?.id).toBe(items[0]?.id);
    const none = await call(project.caller, 'workItems.claim', { agent: 'two' });
    expect(none.reason).toContain(`${items[1]?.taskId} waits for ${items[0]?.taskId}`);
    expect((await project.get(epic?.id as string)).columnName).toBe('In Progress');
    expect((await project.history(items[1]?.id as string)).map(({ eventType }) => eventType)).toEqual(['created']);
    const found = await call(project.caller, 'workItems.list', { search: 'Task 7' });
    expect(found.workItems.map(({ id }) => id)).toEqual([items[7]?.id]);
  });

  test('hang below what is there, and depend on it', async () => {
    const story = await project.create('feature');
    const base = await project.create('task', { boardColumnId: 'Review' });
    const open = await project.create('task');
    const { items } = await create([
      { title: 'One', type: 'task', parentId: story.id, dependsOn: [base.taskId, open.id] },
      { title: 'Two', type: 'task', parentId: story.taskId, boardColumnId: 'To Do' },
    ]);
    const stored = await ItemModel.findOne({ _id: items[0]?.id, organizationId: project.caller.organizationId });
    expect(stored?.waitsFor).toEqual([open.id]);
    const parent = await ItemModel.findOne({ _id: story.id, organizationId: project.caller.organizationId });
    expect(parent?.childCount).toBe(2);
    expect((await project.get(items[1]?.id as string)).columnName).toBe('To Do');
  });

  test('store what they are given and nothing else: dependencies in metadata hold, and without any there is no list', async () => {
    const base = await project.create('task');
    const [by, without] = (
      await create([
        { title: 'By metadata', type: 'task', metadata: { dependsOn: [base.taskId] } },
        { title: 'Without', type: 'task', metadata: { a: 1 } },
      ])
    ).items;
    expect((await project.get(by?.id as string)).metadata).toEqual({ dependsOn: [base.taskId] });
    expect((await project.get(without?.id as string)).metadata).toEqual({ a: 1 });
    const { workItem } = await call(project.caller, 'workItems.claim', { agent: 'one', ids: [by?.id as string] });
    expect(workItem, 'what waits').toBeNull();
  });

  test('are all refused if one is wrong, each fault named by its index, and no number is lost', async () => {
    const before = await counted();
    const refused = await failure(
      create([
        { ref: 'a', title: 'A', type: 'story', parentId: 'W-E-999' },
        { ref: 'a', title: 'B', type: 'task', dependsOn: ['#nothing'] },
      ]),
    );
    expect(refused.code).toBe('VALIDATION_FAILED');
    expect(detailsOf(refused)).toEqual([
      { path: 'items.1.ref', message: 'is that of items.0, too' },
      { path: 'items.1.dependsOn', message: 'no item of this call has the ref nothing' },
      { path: 'items.0.parentId', message: 'There is no work item W-E-999' },
    ]);
    const second = await failure(
      create([
        { ref: 'task', title: 'A', type: 'task', parentId: 'W-E-999' },
        { title: 'B', type: 'story', parentId: '#task' },
        { title: 'C', type: 'task', dependsOn: ['W-T-998'] },
        { title: 'D', type: 'task', boardColumnId: 'Nowhere' },
      ]),
    );
    expect(detailsOf(second).map(({ path }) => path)).toEqual([
      'items.3.boardColumnId',
      'items.0.parentId',
      'items.2.dependsOn',
      'items.1.parentId',
    ]);
    expect(await counted()).toBe(before);
    const [one, two] = (
      await create([
        { title: 'One', type: 'task' },
        { title: 'Two', type: 'task' },
      ])
    ).items;
    expect([one?.taskId, two?.taskId]).toEqual(['W-T-1', 'W-T-2'].map((id) => id.replace('W', project.project.key)));
  });

  test('are told of faults of their references along with those of their form', () => {
    const items = [
      { ref: 'a', title: '', type: 'story', parentId: '#a' },
      { ref: 'a', title: 'B', type: 'tusk', dependsOn: ['#nothing'], size: 3 },
      { ref: 'c', title: 'C', type: 'task', dependsOn: ['#c', 7] },
    ];
    expect(faultsOf(createWorkItems.input, { items }).map(({ path }) => path)).toEqual([
      ...['items.0.title', 'items.1.type', 'items.1.size', 'items.2.dependsOn.1'],
      ...['items.1.ref', 'items.1.dependsOn', 'items.0.parentId', 'items.2.dependsOn'],
    ]);
    const many = Array.from({ length: 101 }, () => ({ title: '', type: 'task', parentId: '#nothing' }));
    expect(faultsOf(createWorkItems.input, { items: many }).map(({ path }) => path)).toEqual(['items']);
    for (const none of [null, [null], ['x'], [[]], { length: 1 }]) {
      expect(faultsOf(createWorkItems.input, { items: none })).not.toEqual([]);
    }
  });

  test('cannot be below themselves, or depend on themselves', async () => {
    const cycle = await failure(
      create([
        { ref: 'a', title: 'A', type: 'task', dependsOn: ['#c'] },
        { ref: 'b', title: 'B', type: 'task', dependsOn: ['#a'] },
        { ref: 'c', title: 'C', type: 'task', dependsOn: ['#b'] },
      ]),
    );
    expect(cycle.message).toContain('#a depends on #c depends on #b depends on #a');
    const tree = await failure(
      create([
        { ref: 'a', title: 'A', type: 'task', parentId: '#b' },
        { ref: 'b', title: 'B', type: 'task', parentId: '#a' },
      ]),
    );
    expect(tree.message).toContain('cannot be below itself');
    const above = await project.create('epic');
    for (const plan of [
      [
        { ref: 'a', title: 'A', type: 'epic' },
        { ref: 'b', title: 'B', type: 'feature', parentId: '#a' },
        { title: 'C', type: 'task', parentId: '#b', dependsOn: ['#a'] },
      ],
      [
        { ref: 'a', title: 'A', type: 'epic', externalId: 'there' },
        { ref: 'b', title: 'B', type: 'feature', parentId: above.id },
        { title: 'C', type: 'task', parentId: '#b', metadata: { dependsOn: [above.taskId] } },
      ],
    ] satisfies Items[]) {
      expect((await failure(create(plan))).message).toMatch(/items\.2\.dependsOn: \S+ is above the item/);
    }
    const roundabout: Items = [
      { ref: 's', title: 'Story', type: 'story' },
      { ref: 'before', title: 'Before', type: 'task', dependsOn: ['#s'] },
      { title: 'In the story', type: 'task', parentId: '#s', dependsOn: ['#before'] },
    ];
    for (const [order, cycle] of [
      [[0, 1, 2], 'items.1.dependsOn: would create a cycle: #s is above items.2 depends on #before depends on #s'],
      [[1, 2, 0], 'items.1.dependsOn: would create a cycle: #before depends on #s is above items.1 depends on #before'],
      [[2, 0, 1], 'items.2.dependsOn: would create a cycle: items.0 depends on #before depends on #s is above items.0'],
    ] as const) {
      const plan = order.map((n) => roundabout[n]) as Items;
      expect((await failure(create(plan))).message).toBe(`${cycle}.`);
    }
    // What depends on a story may be waited for elsewhere, and stories may wait for one another.
    const stories: Items = [
      { ref: 's', title: 'Story', type: 'story' },
      { ref: 'next', title: 'Next', type: 'story', dependsOn: ['#s'] },
      { ref: 'in', title: 'In the story', type: 'task', parentId: '#s' },
      { title: 'In the next', type: 'task', parentId: '#next', dependsOn: ['#in', '#s'] },
    ];
    expect((await create(stories)).items).toHaveLength(4);
    const deep = Array.from({ length: 21 }, (_, n) => ({
      ref: `n${n}`,
      title: 'Deep',
      type: 'task' as const,
      ...(n > 0 && { parentId: `#n${n - 1}` }),
    }));
    expect((await failure(create(deep))).message).toContain('20 levels');
    await create(deep.slice(0, 20));
  });

  test('that are there by their external id stay as they are, and the others refer to them; of two calls at once neither doubles one', async () => {
    const plan: Items = [
      { ref: 'epic', title: 'All', type: 'epic', externalId: 'plan' },
      { ref: 'a', title: 'A', type: 'task', parentId: '#epic', externalId: 'plan/a' },
      { title: 'B', type: 'task', parentId: '#epic', dependsOn: ['#a'], externalId: 'plan/b' },
    ];
    const both = await Promise.all([create(plan), create(plan), create(plan)]);
    expect(new Set(both.map(({ items }) => items.map(({ id }) => id).join())).size).toBe(1);
    expect(both.filter(({ items }) => items.every(({ created }) => created))).toHaveLength(1);
    expect(await counted()).toBe(3);
    const { items } = await create([...plan, { title: 'C', type: 'task', parentId: '#epic', dependsOn: ['#a'] }]);
    expect(items.map(({ created }) => created)).toEqual([false, false, false, true]);
    expect(await project.get(items[3]?.id as string)).toMatchObject({
      parentId: items[0]?.id,
      metadata: { dependsOn: [items[1]?.taskId] },
    });
  });
});
