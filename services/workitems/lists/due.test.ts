import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let own: TestProject;
beforeAll(async () => {
  own = await startProject();
  await own.create('task', { title: 'late', dueDate: '2020-01-01', estimate: 0.5 });
  await own.create('task', { title: 'late, done', dueDate: '2020-01-02', column: 'Done' });
  await own.create('task', { title: 'far', dueDate: '2999-12-31', estimate: 8 });
  await own.create('task', { title: 'whenever' });
});

const titles = async (input: object, caller = own.caller) =>
  (await call(caller, 'workItems.list', input)).workItems.map(({ title }) => title);

test('lists are narrowed by when items are due; overdue leaves out what is done, and false what is overdue', async () => {
  expect(await titles({ dueBefore: '2020-01-02' })).toEqual(['late']);
  expect(await titles({ dueAfter: '2020-01-01' })).toEqual(['far', 'late, done']);
  expect(await titles({ dueAfter: '2020-01-01', dueBefore: '2999-12-31' })).toEqual(['late, done']);
  const places = [{}, { boardId: own.board.id }, { boardColumnId: ['Backlog', 'Done'] }, { search: 'late' }];
  for (const place of places) expect(await titles({ ...place, overdue: true })).toEqual(['late']);
  expect(await titles({ overdue: true, boardColumnId: 'Done' })).toEqual([]);
  expect(await titles({ overdue: true, dueBefore: '2020-01-01' })).toEqual([]);
  expect(await titles({ overdue: true }, own.organization)).toEqual(['late']);
  expect(await titles({ overdue: false })).toEqual(['whenever', 'far', 'late, done']);
  expect(await titles({ overdue: false, dueBefore: '2020-02-01' })).toEqual(['late, done']);
  expect(await titles({ overdue: false, search: 'late' })).toEqual(['late, done']);
  expect((await call(own.caller, 'workItems.list', { overdue: true })).pagination.total).toBe(1);
  const { cards } = await call(own.caller, 'boards.cards', { id: own.board.id, overdue: true });
  expect(cards.map(({ title, dueDate }) => [title, dueDate])).toEqual([['late', '2020-01-01']]);
});

test('what is done on another board is not overdue either, also where columns of both are asked for', async () => {
  const two = await startProject();
  const board = await call(two.caller, 'boards.create', { id: two.project.id, name: 'Second' });
  const columnOf = (columns: typeof board.columns, called: string) =>
    columns.find(({ name }) => name === called)?.id ?? '';
  const done = columnOf(board.columns, 'Done');
  await two.create('task', { title: 'late', dueDate: '2020-01-01' });
  await two.create('task', { title: 'late, done', dueDate: '2020-01-01', boardId: board.id, boardColumnId: done });
  const boardColumnId = [columnOf(two.board.columns, 'Backlog'), done];
  const { workItems } = await call(two.caller, 'workItems.list', { overdue: true, boardColumnId });
  expect(workItems.map(({ title }) => title)).toEqual(['late']);
});

test('lists are sorted by due date and estimate, what has none last in both directions, page by page', async () => {
  const paged = async (sort: string) => {
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await call(own.caller, 'workItems.list', { sort, limit: 1, ...(cursor && { cursor }) });
      found.push(...page.workItems.map(({ title }) => title));
      cursor = page.nextCursor;
    } while (cursor);
    return found;
  };
  expect(await paged('dueDate')).toEqual(['late', 'late, done', 'far', 'whenever']);
  expect(await paged('-dueDate')).toEqual(['far', 'late, done', 'late', 'whenever']);
  expect(await paged('estimate')).toEqual(['late', 'far', 'whenever', 'late, done']);
  expect(await paged('-estimate')).toEqual(['far', 'late', 'whenever', 'late, done']);
});

test('they are cleared with null, and null again is no change', async () => {
  const item = await own.create('task', { dueDate: '2026-03-01', estimate: 2 });
  expect(await own.update(item.id, { dueDate: '2026-03-01' })).toMatchObject({ version: item.version });
  const cleared = await own.update(item.id, { dueDate: null, estimate: null });
  expect(cleared).toMatchObject({ dueDate: null, estimate: null, version: item.version + 1 });
  expect(await own.update(item.id, { dueDate: null, labels: [] })).toMatchObject({ version: cleared.version });
  const never = await own.create('task', {});
  expect(await own.update(never.id, { estimate: null })).toMatchObject({ estimate: null, version: never.version });
  const { events } = await call(own.caller, 'workItems.events', { workItemId: item.id, eventType: 'updated' });
  expect(events[0]?.data.changes).toEqual({
    dueDate: { from: '2026-03-01', to: null },
    estimate: { from: 2, to: null },
  });
});
