import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallService, newCaller, startProject, startReplicas, type TestProject } from '../testing.ts';

/**
 * Under snapshot isolation, two transactions that each read what the other writes both commit (write skew). So concurrent callers on several replicas try each
 * rule that spans records. They do so again and again, because an interleaving that breaks a rule does not come up every time.
 */
let call: CallService;
let stop: () => Promise<void>;
let project: TestProject;
beforeAll(async () => {
  ({ call, stop } = await startReplicas(4));
  project = await startProject('Worktrack', newCaller(), call);
});
afterAll(() => stop());

const ROUNDS = [1, 2, 3, 4, 5];
const ended = (outcomes: PromiseSettledResult<unknown>[], status: 'fulfilled' | 'rejected') =>
  outcomes.filter((outcome) => outcome.status === status).length;

describe('at the same time', () => {
  test('the last children move to Done: their parent and its parents follow', async () => {
    const epic = await project.create('epic');
    const feature = await project.create('feature', { parentId: epic.id });
    const tasks = await Promise.all(Array.from({ length: 12 }, () => project.create('task', { parentId: feature.id })));
    await Promise.all(tasks.map(({ id }) => project.move(id, 'Done')));
    expect((await project.get(feature.id)).columnName).toBe('Done');
    expect((await project.get(epic.id)).columnName).toBe('Done');
    // Each went to In Progress once and to Done once, and each reports it once.
    const moves = (await project.history(epic.id)).filter(({ eventType }) => eventType === 'moved');
    expect(moves.map(({ data }) => data.toColumn)).toEqual(['Done', 'In Progress']);
  });

  test.each(ROUNDS)('the last two children move to Done: their parent follows (round %i)', async () => {
    const story = await project.create('story', { column: 'In Progress' });
    const tasks = [
      await project.create('task', { parentId: story.id }),
      await project.create('task', { parentId: story.id }),
    ];
    await Promise.all(tasks.map(({ id }) => project.move(id, 'Done')));
    expect((await project.get(story.id)).columnName).toBe('Done');
  });

  test.each(ROUNDS)('the last children leave a task: it can itself be claimed again (round %i)', async () => {
    const own = await startProject('Worktrack', newCaller(), call);
    const task = await own.create('task', { priority: 'urgent' });
    const children = [
      await own.create('task', { parentId: task.id }),
      await own.create('task', { parentId: task.id }),
      await own.create('task', { parentId: task.id }),
    ];
    const [one, two, three] = children.map(({ id }) => id);
    await Promise.all([
      call(own.caller, 'workItems.delete', { id: one ?? '' }),
      call(own.caller, 'workItems.delete', { id: two ?? '' }),
      own.update(three ?? '', { parentId: null }),
    ]);
    const { workItem } = await call(own.caller, 'workItems.claim', { agent: 'agent' });
    expect(workItem?.id).toBe(task.id);
  });

  test.each(ROUNDS)('two tasks become each other’s parent: one of them does (round %i)', async () => {
    const [one, two] = [await project.create('task'), await project.create('task')];
    const outcomes = await Promise.allSettled([
      project.update(one.id, { parentId: two.id }),
      project.update(two.id, { parentId: one.id }),
    ]);
    expect(ended(outcomes, 'fulfilled')).toBe(1);
    const parents = [(await project.get(one.id)).parentId, (await project.get(two.id)).parentId];
    expect(parents.filter((parent) => parent === null)).toHaveLength(1);
  });

  test.each(ROUNDS)('two tasks come to depend on each other: one of them does (round %i)', async () => {
    const [one, two] = [await project.create('task'), await project.create('task')];
    const outcomes = await Promise.allSettled([
      project.update(one.id, { dependsOn: [two.id] }),
      project.update(two.id, { metadata: { dependsOn: [one.taskId] } }),
    ]);
    expect(ended(outcomes, 'fulfilled')).toBe(1);
  });

  test.each(ROUNDS)('a task comes to depend on what its tree moves below: only one of both (round %i)', async () => {
    const [above, top] = [await project.create('task'), await project.create('task')];
    const middle = await project.create('task', { parentId: top.id });
    const bottom = await project.create('task', { parentId: middle.id });
    const outcomes = await Promise.allSettled([
      project.update(top.id, { parentId: above.id }),
      project.update(bottom.id, { dependsOn: [above.id] }),
    ]);
    expect(ended(outcomes, 'fulfilled')).toBe(1);
  });

  test.each(ROUNDS)('a cycle through parents is closed from several sides: one of them fails (round %i)', async () => {
    const own = await startProject('Worktrack', newCaller(), call);
    const task = (fields: Parameters<TestProject['create']>[1] = {}) => own.create('task', fields);
    const [epic, story, other] = [await own.create('epic'), await own.create('story'), await own.create('story')];
    const feature = await own.create('feature', { parentId: epic.id });
    await own.update(story.id, { parentId: feature.id });
    const [base, first, second] = [
      await task(),
      await task({ parentId: story.id }),
      await task({ parentId: other.id }),
    ];
    for (const pair of [
      // Two that depend on one another's story.
      () => [own.update(first.id, { dependsOn: [other.id] }), own.update(second.id, { dependsOn: [story.id] })],
      // One creates a task below the epic that waits for the base; the other lets the base wait for the epic.
      () => [task({ parentId: story.id, dependsOn: [base.id] }), own.update(base.id, { dependsOn: [epic.id] })],
    ]) {
      const outcomes = await Promise.allSettled(pair());
      expect(ended(outcomes, 'fulfilled')).toBe(1);
    }
    const waiting = await task({ dependsOn: [(await task()).id] });
    const [its] = waiting.metadata.dependsOn as [string];
    for (const aboveTask of [await own.create('story'), await own.create('story', { parentId: feature.id }), story]) {
      const below = () => task({ parentId: aboveTask.id, dependsOn: [waiting.id] });
      const outcomes = await Promise.allSettled([below(), task({ parentId: its, dependsOn: [aboveTask.id] })]);
      expect(ended(outcomes, 'fulfilled')).toBe(1);
    }
    const [left, right] = [await own.create('story'), await own.create('story')];
    const crossed = await Promise.allSettled([
      task({ parentId: left.id, dependsOn: [right.id] }),
      task({ parentId: right.id, dependsOn: [left.id] }),
    ]);
    expect(ended(crossed, 'fulfilled')).toBe(1);
    const [top, free] = [await own.create('epic'), await task()];
    const waits = await task({ dependsOn: [free.id] });
    const outcomes = await Promise.allSettled([
      own.update(waits.id, { parentId: top.id }),
      own.update(free.id, { dependsOn: [top.id] }),
    ]);
    expect(ended(outcomes, 'fulfilled')).toBe(1);
  });

  test.each(ROUNDS)('three chains of dependencies are tied together: they form no cycle (round %i)', async () => {
    const chains = await Promise.all(
      [1, 2, 3].map(async () => {
        const first = await project.create('task');
        const second = await project.create('task', { dependsOn: [first.id] });
        return { first, last: await project.create('task', { dependsOn: [second.taskId] }) };
      }),
    );
    const outcomes = await Promise.allSettled(
      chains.map(({ first }, n) => project.update(first.id, { dependsOn: [chains[(n + 1) % 3]?.last.id as string] })),
    );
    expect(ended(outcomes, 'fulfilled')).toBe(2);
    expect(ended(outcomes, 'rejected')).toBe(1);
  });

  test.each(ROUNDS)('three chains of tasks are tied together: they form no ring (round %i)', async () => {
    const chains = await Promise.all(
      [1, 2, 3].map(async () => {
        const top = await project.create('task');
        const middle = await project.create('task', { parentId: top.id });
        return { top, bottom: await project.create('task', { parentId: middle.id }) };
      }),
    );
    const outcomes = await Promise.allSettled(
      chains.map(({ top }, index) => project.update(top.id, { parentId: chains[(index + 1) % 3]?.bottom.id })),
    );
    expect(ended(outcomes, 'fulfilled')).toBe(2);
  });

  test.each(ROUNDS)(
    'a parent is deleted and children are created: no child has a parent that is gone (round %i)',
    async () => {
      const parent = await project.create('epic');
      const children = Array.from({ length: 4 }, () => project.create('task', { parentId: parent.id }));
      const removed = call(project.caller, 'workItems.delete', { id: parent.id });
      const outcomes = await Promise.allSettled([...children, removed]);
      expect(outcomes.at(-1)?.status).toBe('fulfilled');
      for (const outcome of outcomes.slice(0, -1)) {
        if (outcome.status === 'fulfilled') {
          expect((await project.get((outcome.value as { id: string }).id)).parentId).toBeNull();
        } else expect(outcome.reason).toMatchObject({ code: 'NOT_FOUND' });
      }
      expect((await project.history(parent.id))[0]?.eventType).toBe('deleted');
    },
  );

  test.each(ROUNDS)('a feature becomes a task and a story its child: only one of both (round %i)', async () => {
    const [feature, story] = [await project.create('feature'), await project.create('story')];
    const outcomes = await Promise.allSettled([
      project.update(feature.id, { type: 'task' }),
      project.update(story.id, { parentId: feature.id }),
    ]);
    expect(ended(outcomes, 'fulfilled')).toBe(1);
  });

  test.each(ROUNDS)(
    'a task under a feature becomes a story, and the feature a task: only one of both (round %i)',
    async () => {
      const feature = await project.create('feature');
      const task = await project.create('task', { parentId: feature.id });
      const outcomes = await Promise.allSettled([
        project.update(feature.id, { type: 'task' }),
        project.update(task.id, { type: 'story' }),
      ]);
      expect(ended(outcomes, 'fulfilled')).toBe(1);
    },
  );

  test.each(ROUNDS)(
    'a column is removed and items are put into it: no item is without a column (round %i)',
    async () => {
      const own = await startProject('Worktrack', newCaller(), call);
      const items = [await own.create('task'), await own.create('task'), await own.create('task')];
      const review = own.column('Review');
      const columns = own.board.columns.filter(({ id }) => id !== review).map(({ id, name }) => ({ id, name }));
      const [one, two, three] = items.map(({ id }) => id);
      const outcomes = await Promise.allSettled([
        own.move(one ?? '', 'Review'),
        own.update(two ?? '', { boardColumnId: review }),
        call(own.caller, 'workItems.batchMove', { workItemIds: [three ?? ''], boardColumnId: review }),
        own.create('task', { column: 'Review' }),
        call(own.caller, 'boards.update', { id: own.board.id, columns }),
      ]);
      const removed = outcomes.at(-1)?.status === 'fulfilled';
      expect(ended(outcomes.slice(0, -1), 'fulfilled') === 0).toBe(removed);
      // Lists show every item with the name of its column, so an item without one would fail here.
      const { workItems } = await call(own.caller, 'workItems.list', {});
      const left = (await call(own.caller, 'boards.get', { id: own.board.id })).columns.map(({ id }) => id);
      for (const item of workItems) expect(left).toContain(item.boardColumnId);
    },
  );

  test('many change and move one item: each change counts, and its history lists them in order', async () => {
    const item = await project.create('task', { title: '0' });
    const columns = ['To Do', 'In Progress', 'Review', 'Testing'];
    await Promise.all([
      ...columns.map((column) => project.move(item.id, column)),
      ...columns.map((title) => project.update(item.id, { title })),
      ...columns.map((text) => call(project.caller, 'workItems.comment', { workItemId: item.id, text })),
    ]);
    const after = await project.get(item.id);
    expect(after.version).toBe(1 + 2 * columns.length);
    const events = (await project.history(item.id)).reverse();
    expect(events).toHaveLength(1 + 3 * columns.length);
    // The end of each change is the start of the next, up to the item as it is.
    const told = { columnName: 'Backlog', title: '0' };
    for (const { eventType, data } of events) {
      if (eventType === 'moved') {
        expect(data.fromColumn).toBe(told.columnName);
        told.columnName = String(data.toColumn);
      } else if (eventType === 'updated') {
        const { title } = data.changes as { title: { from: string; to: string } };
        expect(title.from).toBe(told.title);
        told.title = title.to;
      }
    }
    expect(after).toMatchObject(told);
  });
});
