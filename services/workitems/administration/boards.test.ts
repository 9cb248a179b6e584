import type { ErrorCode } from '@worktrack/contracts/errors';
import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { MAX_BOARDS } from '@worktrack/contracts/projects/board-operations';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BoardModel } from '../boards/boards.model.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { getReviewContext } from '../context/review.ts';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const given = ({ id, name }: { id?: string; name: string }) => ({ ...(id !== undefined && { id }), name });
const names = ({ columns }: { columns: { name: string }[] }) => columns.map(({ name }) => name);

describe('a board', () => {
  test('starts with the eight columns in order of progress, unless others are given', async () => {
    const { id } = project.project;
    const standard = await call(project.caller, 'boards.create', { id, name: 'Second' });
    expect(names(standard)).toEqual(STANDARD_COLUMNS);
    expect(standard.columns.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const own = await call(project.caller, 'boards.create', {
      id,
      name: 'Third',
      columns: [{ name: 'To Do' }, { name: 'Doing' }, { name: 'A' }, { name: 'B', role: 'done' }],
    });
    expect(own.columns.map(({ name, role }) => [name, role])).toEqual([
      ['To Do', 'todo'],
      ['Doing', 'in_progress'],
      ['A', null],
      ['B', 'done'],
    ]);
    expect(await call(project.caller, 'boards.list', { id })).toEqual([project.board, standard, own]);
    expect(await call(project.caller, 'boards.get', { id: own.id })).toEqual(own);
  });

  test.each([
    [['Doing', 'Done'], 'backlog or todo'],
    [['Backlog', 'Done'], 'in_progress'],
    [['Backlog', 'Doing'], 'done'],
    [['A'], 'in_progress'],
  ])('of the columns %j is refused, and told which role it lacks', async (columns, role) => {
    const { id } = project.project;
    const wanted = { id, name: 'Short', columns: columns.map((name) => ({ name })) };
    expect(await failure(call(project.caller, 'boards.create', wanted))).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining(role),
    });
  });

  test('has a version: of two that change the same list at once, one is told of the other', async () => {
    const own = await startProject();
    const { id, version, columns } = own.board;
    const adding = (name: string, read: number) =>
      call(own.caller, 'boards.update', { id, version: read, columns: [...columns, { name }].map(given) });
    const refused = [];
    for (const each of await Promise.allSettled([adding('First', version), adding('Second', version)])) {
      if (each.status === 'rejected') refused.push(await failure(Promise.reject(each.reason)));
    }
    const now = await call(own.caller, 'boards.get', { id });
    expect(now.version).toBeGreaterThan(version);
    expect(refused).toMatchObject([{ code: 'CONFLICT', extra: { current: now } }]);
    expect(names(now)).toHaveLength(columns.length + 1);
    expect(await failure(call(own.caller, 'boards.update', { id, version, name: 'Sprint' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`at version ${now.version}, not ${version}`),
    });
    const renamed = await call(own.caller, 'boards.update', { id, version: now.version, name: 'Sprint' });
    expect(renamed).toMatchObject({ name: 'Sprint', version: now.version + 1, columns: now.columns });
  });

  test('is one of at most 200 in its project, so that their list is one answer', async () => {
    const own = await startProject();
    const { id } = own.project;
    for (let number = 2; number <= MAX_BOARDS; number++) {
      await call(own.caller, 'boards.create', { id, name: `${number}` });
    }
    expect(await failure(call(own.caller, 'boards.create', { id, name: 'One more' }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`${MAX_BOARDS} boards`),
    });
    expect(await call(own.caller, 'boards.list', { id })).toHaveLength(MAX_BOARDS);
  });

  test('that is not named is the default board of the session’s project', async () => {
    expect(await call(project.caller, 'boards.get', {})).toEqual(project.board);
    const withoutSession = await failure(call(project.organization, 'boards.get', {}));
    expect(withoutSession).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'id' }] } });
  });

  test('of another organization is not found', async () => {
    const stranger = await startProject();
    const { id } = project.board;
    expect((await failure(call(stranger.caller, 'boards.get', { id }))).code).toBe('NOT_FOUND');
    expect((await failure(call(stranger.caller, 'boards.update', { id, name: 'Mine' }))).code).toBe('NOT_FOUND');
    const projectId = project.project.id;
    expect((await failure(call(stranger.caller, 'boards.list', { id: projectId }))).code).toBe('NOT_FOUND');
    expect((await failure(call(stranger.caller, 'boards.create', { id: projectId, name: 'A' }))).code).toBe(
      'NOT_FOUND',
    );
  });
});

describe('the list of columns of an update', () => {
  test('renames, orders, adds and removes columns; items stay where they are', async () => {
    const own = await startProject();
    const item = await own.create('task', { column: 'Review' });
    const board = await call(own.caller, 'boards.update', {
      id: own.board.id,
      name: 'Renamed',
      columns: [
        { id: own.column('Review'), name: 'Looking at it' },
        { name: 'New' },
        { id: own.column('Backlog'), name: 'Backlog' },
      ],
    });
    expect(board.name).toBe('Renamed');
    expect(names(board)).toEqual(['Looking at it', 'New', 'Backlog']);
    expect(board.columns[0]).toEqual({
      id: own.column('Review'),
      name: 'Looking at it',
      position: 0,
      // A new name does not make it another step of the work.
      role: 'review',
      limit: null,
    });
    expect((await own.get(item.id)).columnName).toBe('Looking at it');
    const { warnings, ...shown } = board;
    expect(warnings).toEqual([expect.stringContaining('in_progress')]);
    expect(await call(own.caller, 'boards.get', { id: board.id })).toEqual(shown);
  });

  test('may swap two names', async () => {
    const own = await startProject();
    const columns = [
      { id: own.column('Done'), name: 'Backlog' },
      { id: own.column('Backlog'), name: 'Done' },
    ];
    expect(names(await call(own.caller, 'boards.update', { id: own.board.id, columns }))).toEqual(['Backlog', 'Done']);
  });

  test('does not remove a column that holds items', async () => {
    const own = await startProject();
    await own.create('task', { column: 'Review' });
    // One of the same name is another column.
    const columns = [{ id: own.column('Backlog'), name: 'Backlog' }, { name: 'Review' }];
    const error = await failure(call(own.caller, 'boards.update', { id: own.board.id, columns }));
    expect(error.code).toBe('CONFLICT');
    expect(error.message).toMatch(/^Column "Review" holds 1 work item\. .*to keep it, pass its id/);
    expect(await call(own.caller, 'boards.get', { id: own.board.id })).toEqual(own.board);
  });

  test('names only columns of the board, each once', async () => {
    const other = await startProject('Other', project.organization);
    const { id } = project.board;
    const backlog = project.column('Backlog');
    for (const columns of [
      [{ name: 'A' }, { id: other.column('Backlog'), name: 'Backlog' }],
      [
        { id: backlog, name: 'A' },
        { id: backlog, name: 'B' },
      ],
    ]) {
      const error = await failure(call(project.caller, 'boards.update', { id, columns }));
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'columns.1.id' }] } });
    }
  });

  test.each([
    ['two columns of one name', [{ name: 'A' }, { name: ' A ' }], 'columns.1.name'],
    ['no column at all', [], 'columns'],
    ['a column without a name', [{ name: '' }], 'columns.0.name'],
  ])('is refused with %s', async (_, columns, path) => {
    const issues = await call(project.caller, 'boards.update', { id: project.board.id, columns }).then(
      () => [],
      (error) => error.issues,
    );
    expect(issues.map((issue: { path: unknown[] }) => issue.path.join('.'))).toEqual([path]);
  });
});

describe('the deletion of a board', () => {
  test('leaves nothing of it, and new items go to the others', async () => {
    const own = await startProject();
    const second = await call(own.caller, 'boards.create', { id: own.project.id, name: 'Second' });
    expect(await call(own.caller, 'boards.delete', { id: second.id })).toEqual({ deleted: true, id: second.id });
    expect(await call(own.caller, 'boards.list', { id: own.project.id })).toEqual([own.board]);
    for (const again of ['boards.get', 'boards.delete'] as const) {
      expect((await failure(call(own.caller, again, { id: second.id }))).code).toBe('NOT_FOUND');
    }
    const column = second.columns[0]?.id ?? '';
    const item = { type: 'task', title: 'Late', projectId: own.project.id, boardId: second.id } as const;
    expect((await failure(call(own.caller, 'workItems.create', { ...item, boardColumnId: column }))).code).toBe(
      'NOT_FOUND',
    );
    expect((await own.create('task')).boardId).toBe(own.board.id);
  });

  test('makes calls begin again that have read an item of it, before that was deleted as well', async () => {
    const own = await startProject();
    const { caller } = own;
    const writes = boardOf({ caller, writes: new WriteSet() }, { boardId: uuidv7() });
    await expect(writes).rejects.toBeInstanceOf(Stale);
    const { taskId } = await own.create('task');
    await BoardModel.deleteOne({ organizationId: caller.organizationId, _id: own.board.id });
    const reads = getReviewContext({ taskId, featureReview: false }, { caller } as ReadContext<ErrorCode>);
    await expect(reads).rejects.toBeInstanceOf(Stale);
  });

  test('is refused for the default board, and while it holds items', async () => {
    const own = await startProject();
    const { id } = own.board;
    await own.create('task');
    const error = () => failure(call(own.caller, 'boards.delete', { id }));
    expect(await error()).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('is the default of its project'),
    });
    const second = await call(own.caller, 'boards.create', { id: own.project.id, name: 'Second' });
    await call(own.caller, 'projects.update', { id: own.project.id, defaultBoardId: second.id });
    expect(await error()).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('holds 1 work item') });
    const stranger = await startProject();
    expect((await failure(call(stranger.caller, 'boards.delete', { id }))).code).toBe('NOT_FOUND');
  });
});
