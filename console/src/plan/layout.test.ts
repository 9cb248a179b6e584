import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOut, type Task } from './layout.ts';

const task = (taskId: string, state: Task['state'], dependsOn: string[] = [], blockedBy: string[] = []): Task => ({
  id: taskId,
  taskId,
  title: taskId,
  columnName: '',
  priority: 'medium',
  state,
  lease: null,
  dependsOn,
  blockedBy,
  parent: null,
  hasPrompt: false,
});
const columnsOf = ({ columns }: ReturnType<typeof layOut>) =>
  columns.map((stacked) => stacked.map(({ key, tasks }) => [key, ...tasks.map(({ taskId }) => taskId)]));

test('waves follow what is handed over and what is in progress, and what can never have its turn comes last', () => {
  const plan = layOut({
    tasks: [
      task('done', 'done'),
      task('review', 'in_review', ['done']),
      task('now', 'in_progress', ['done']),
      task('a', 'ready', ['review']),
      task('b', 'waiting', ['a'], ['a']),
      task('afterNow', 'blocked', ['now'], ['now']),
      task('afterBoth', 'blocked', ['afterNow', 'b'], ['afterNow']),
      task('afterOutside', 'blocked', ['W-T-99'], ['W-T-99']),
      task('x', 'blocked', ['y'], ['y']),
      task('y', 'blocked', ['x'], ['x']),
      task('afterCycle', 'blocked', ['x'], ['x']),
    ],
    waves: [['a'], ['b']],
    cycles: [['x', 'y']],
  });
  expect(columnsOf(plan)).toEqual([
    [['handed_over', 'done', 'review']],
    [
      ['at_work', 'now'],
      ['wave 1', 'a'],
    ],
    [['wave 2', 'b', 'afterNow']],
    [['wave 3', 'afterBoth']],
    [['blocked', 'x', 'y', 'afterOutside', 'afterCycle']],
  ]);
  expect(plan.waitsFor.get('a')).toEqual([]);
  expect(plan.waitsFor.get('afterBoth')).toEqual(['afterNow', 'b']);
  expect(plan.waitsFor.get('afterOutside')).toEqual(['W-T-99']);
  expect(plan.criticalPath).toEqual(['now', 'afterNow', 'afterBoth']);
  const kindOf = (from: string, to: string) => plan.lines.find((line) => line.from === from && line.to === to)?.kind;
  expect(kindOf('done', 'review')).toBe(undefined);
  expect(kindOf('done', 'now')).toBe('met');
  expect(kindOf('now', 'afterNow')).toBe('critical');
  expect(kindOf('b', 'afterBoth')).toBe('open');
  expect(kindOf('x', 'y')).toBe('cycle');
  expect(kindOf('x', 'afterCycle')).toBe('open');
});

test('tasks that depend on nothing have no critical path', () => {
  expect(
    layOut({ tasks: [task('a', 'ready'), task('b', 'ready')], waves: [['a', 'b']], cycles: [] }).criticalPath,
  ).toEqual([]);
  expect(layOut({ tasks: [], waves: [], cycles: [] })).toMatchObject({ columns: [], lines: [], criticalPath: [] });
});

test('in any plan without a cycle, each task stands to the right of what it waits for, and the critical path is a longest chain', () => {
  const plans = fc.array(fc.record({ atWork: fc.boolean(), on: fc.array(fc.nat(), { maxLength: 3 }) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(plans, (written) => {
      // Each depends only on earlier ones.
      const before = written.map(({ on }, at) => [...new Set(at === 0 ? [] : on.map((n) => `T${n % at}`))]);
      const isAtWork = (id: string) => written[Number(id.slice(1))]?.atWork ?? false;
      const free = new Map<string, number>();
      const chain = new Map<string, number>();
      for (const [at, ids] of before.entries()) {
        const id = `T${at}`;
        chain.set(id, isAtWork(id) ? 1 : 1 + Math.max(0, ...ids.map((each) => chain.get(each) ?? 0)));
        if (!isAtWork(id) && ids.every((each) => free.has(each))) {
          free.set(id, 1 + Math.max(0, ...ids.map((each) => free.get(each) ?? 0)));
        }
      }
      const waves: string[][] = [];
      for (const [id, wave] of free) {
        waves[wave - 1] ??= [];
        waves[wave - 1]?.push(id);
      }
      const tasks = before.map((ids, at) => {
        const id = `T${at}`;
        if (isAtWork(id)) return task(id, 'in_progress', ids);
        if (!free.has(id))
          return task(
            id,
            'blocked',
            ids,
            ids.filter((each) => !free.has(each)),
          );
        return task(id, free.get(id) === 1 ? 'ready' : 'waiting', ids, ids);
      });
      const { columns, criticalPath } = layOut({ tasks, waves, cycles: [] });
      const columnOf = new Map(
        columns.flatMap((stacked, at) =>
          stacked.flatMap(({ tasks: found }) => found.map(({ taskId }) => [taskId, at])),
        ),
      );
      expect(columnOf.size).toBe(tasks.length);
      for (const { taskId, state, dependsOn } of tasks) {
        if (state === 'in_progress') continue;
        for (const id of dependsOn) expect(columnOf.get(id)).toBeLessThan(columnOf.get(taskId) as number);
      }
      const longest = Math.max(0, ...chain.values());
      expect(criticalPath.length).toBe(longest > 1 ? longest : 0);
      for (const [at, id] of criticalPath.entries()) {
        if (at > 0) expect(tasks.find(({ taskId }) => taskId === id)?.dependsOn).toContain(criticalPath[at - 1]);
      }
    }),
  );
});
