import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, newCaller, startProject, startReplicas, startWorkItems, stopWorkItems } from '../testing.ts';
import { keysFor } from './project-key.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

test.each([
  ['Worktrack', 'W'],
  ['élan', 'E'],
  ['42 zebras', 'Z'],
  ['日本', 'P'],
])('the key of a project named %s is %s', (name, key) => {
  expect(keysFor(name)[0]).toBe(key);
});

describe('the key of a project', () => {
  test('is a letter that no other has, as long as there is one, also of those that are created at once', async () => {
    const caller = newCaller();
    const shops = await Promise.all(Array.from({ length: 6 }, () => call(caller, 'projects.create', { name: 'Shop' })));
    const keys = shops.map(({ key }) => key);
    expect(keys.toSorted()).toEqual([...'ABHOPS']);
    for (let n = 6; n < 26; n++) keys.push((await call(caller, 'projects.create', { name: 'Shop' })).key);
    expect(new Set(keys).size).toBe(26);
    const more = [];
    for (let n = 0; n < 4; n++) more.push(await call(caller, 'projects.create', { name: 'Shop' }));
    expect(more.map(({ key }) => key)).toEqual(['SH', 'SHO', 'SHOP', 'S']);
    expect(more.map(({ warnings }) => warnings?.length)).toEqual([undefined, undefined, undefined, 1]);
  });

  test('may have five letters, and that of another project is taken with a warning', async () => {
    const caller = newCaller();
    const one = await call(caller, 'projects.create', { name: 'One', key: 'BUILD' });
    expect(one.warnings).toBeUndefined();
    const item = { title: 'It', type: 'task', boardId: one.defaultBoardId, boardColumnId: 'Backlog' } as const;
    const { taskId } = await call(caller, 'workItems.create', item);
    expect(taskId).toBe('BUILD-T-1');
    expect((await call(caller, 'workItems.get', { id: 'build-t-1' })).taskId).toBe(taskId);
    const found = await call(caller, 'workItems.list', { search: 'BUILD-T-1' });
    expect(found.workItems.map((each) => each.taskId)).toEqual([taskId]);
    const two = await call(caller, 'projects.create', { name: 'Two', key: 'BUILD' });
    expect(two.warnings).toEqual([expect.stringContaining('share one series of numbers')]);
    const own = await call(caller, 'projects.update', { id: two.id, key: 'OWN' });
    expect([own.key, own.warnings]).toEqual(['OWN', undefined]);
    expect((await call(caller, 'projects.update', { id: two.id, key: 'BUILD' })).warnings).toHaveLength(1);
    expect((await call(caller, 'projects.update', { id: two.id, key: 'BUILD' })).warnings).toBeUndefined();
  });

  test('is not changed by a caller that is limited to projects: numbers would tell what else there is', async () => {
    const caller = newCaller();
    const one = await call(caller, 'projects.create', { name: 'One', key: 'ONE' });
    await call(caller, 'projects.create', { name: 'Two', key: 'TWO' });
    const limited = { ...caller, projects: [one.id] };
    for (const key of ['TWO', 'NONE'] as const) {
      expect(await failure(call(limited, 'projects.update', { id: one.id, key }))).toMatchObject({
        ...{ code: 'PERMISSION_DENIED', message: 'key: your key is limited to projects, so it cannot change this.' },
      });
    }
    const renamed = await call(limited, 'projects.update', { id: one.id, key: 'ONE', name: 'Renamed' });
    expect(renamed).toMatchObject({ key: 'ONE', name: 'Renamed' });
  });
});

describe('a project', () => {
  test('comes with a default board of the eight columns', async () => {
    const caller = newCaller();
    const project = await call(caller, 'projects.create', { name: ' Apollo ', techStack: ['Node'] });
    expect(project).toMatchObject({ name: 'Apollo', key: 'A', description: '', techStack: ['Node'], repositories: [] });
    const board = await call(caller, 'boards.get', { id: project.defaultBoardId });
    expect(board.projectId).toBe(project.id);
    expect(board.columns.map(({ name }) => name)).toEqual(STANDARD_COLUMNS);
    expect(await call(caller, 'projects.get', { id: project.id })).toEqual(project);
  });

  test('is in the list of names, newest first, with a cursor that leads through it', async () => {
    const caller = newCaller();
    const made = [];
    for (let number = 0; number < 102; number++) {
      made.push(await call(caller, 'projects.create', { name: `Project ${number}` }));
    }
    await startProject();
    const first = await call(caller, 'projects.names', {});
    const rest = await call(caller, 'projects.names', { cursor: first.nextCursor ?? '' });
    expect([first.projects.length, rest.projects.length, rest.nextCursor]).toEqual([100, 2, null]);
    const expected = made.toReversed().map(({ id, name, key, defaultBoardId }) => ({ id, name, key, defaultBoardId }));
    expect([...first.projects, ...rest.projects]).toEqual(expected);
  });

  test('changes in what is given', async () => {
    const { caller, project } = await startProject();
    const changed = await call(caller, 'projects.update', { id: project.id, key: 'Q', repositories: ['git@x:y.git'] });
    const { updatedAt } = changed;
    const version = project.version + 1;
    expect(changed).toEqual({ ...project, key: 'Q', repositories: ['git@x:y.git'], version, updatedAt });
    expect(await call(caller, 'projects.get', { id: project.id })).toEqual(changed);
  });

  test('gives new items its new key; existing ones keep their task IDs', async () => {
    const own = await startProject();
    const before = await own.create('task');
    await call(own.caller, 'projects.update', { id: own.project.id, key: 'Q' });
    expect((await own.create('task')).taskId).toBe('Q-T-1');
    expect((await own.get(before.id)).taskId).toBe('W-T-1');
  });

  test('has one of its own boards as the default', async () => {
    const own = await startProject();
    const other = await startProject('Other', own.organization);
    const update = { id: own.project.id, defaultBoardId: other.board.id };
    const error = await failure(call(own.caller, 'projects.update', update));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'defaultBoardId' }] } });
  });

  test('of another organization is not found and not listed', async () => {
    const own = await startProject('Mine');
    const stranger = await startProject('Theirs');
    const { id } = own.project;
    expect((await failure(call(stranger.caller, 'projects.get', { id }))).code).toBe('NOT_FOUND');
    expect((await failure(call(stranger.caller, 'projects.update', { id, name: 'A' }))).code).toBe('NOT_FOUND');
    const { projects, pagination } = await call(stranger.caller, 'projects.list', {});
    expect(projects).toEqual([stranger.project]);
    expect(pagination).toEqual({ page: 1, limit: 50, total: 1, totalPages: 1 });
  });

  test('is listed newest first, page by page', async () => {
    const caller = newCaller();
    for (const name of ['A', 'B', 'C']) await call(caller, 'projects.create', { name });
    const page = async (number: number) => {
      const { projects } = await call(caller, 'projects.list', { page: number, limit: 2 });
      return projects.map(({ name }) => name);
    };
    expect([await page(1), await page(2), await page(3)]).toEqual([['C', 'B'], ['A'], []]);
  });
});

test('what writes have to know of a project is changed at once, though its board is written to without a pause', async () => {
  const replicas = await startReplicas(2);
  const own = await startProject();
  const { caller, project } = own;
  const reviewed = Array.from(
    { length: 100 },
    () => ({ title: 'Reviewed', type: 'task', boardColumnId: 'Review' }) as const,
  );
  for (let batch = 0; batch < 3; batch++) await call(caller, 'workItems.createMany', { items: reviewed });
  const items = await Promise.all(Array.from({ length: 32 }, () => own.create('task')));
  let moves = 0;
  let isOver = false;
  const underWay = Promise.withResolvers<void>();
  const writers = items.map(async ({ id: workItemId }) => {
    for (let next = 0; !isOver; next++, moves++) {
      const boardColumnId = own.column(next % 2 === 0 ? 'To Do' : 'Backlog');
      await replicas.call(caller, 'workItems.move', { workItemId, boardColumnId });
      if (next > 0) underWay.resolve();
    }
  });
  // It looks at all that is in review, and takes a while.
  await underWay.promise;
  const movesMeanwhile: number[] = [];
  for (const dependencyMet of ['done', 'review', 'done', 'review'] as const) {
    const before = moves;
    await call(caller, 'projects.update', { id: project.id, dependencyMet });
    movesMeanwhile.push(moves - before);
  }
  isOver = true;
  await Promise.all(writers);
  await replicas.stop();
  // Those that were under way already, and not all that came while it was tried again and again.
  expect(Math.max(...movesMeanwhile)).toBeLessThan(2 * items.length);
});
