import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BoardModel } from '../boards/boards.model.ts';
import { itself } from '../items/found-by.ts';
import { ItemModel } from '../items/items.model.ts';
import { SessionModel } from '../sessions/sessions.model.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const cards = (input: object) => call(project.caller, 'boards.cards', { id: project.board.id, ...input });

test('a card says what blocks it, in task IDs, and what its sessions cost, besides what a list says', async () => {
  const first = await project.create('task');
  const blocked = await project.create('task', { dependsOn: [first.id] });
  const session = { model: 'gpt-4o', provider: 'openai', totalTokens: 1000, inputTokens: 1000, outputTokens: 0 };
  await call(project.caller, 'workItems.recordSession', { workItemId: blocked.id, ...session });
  const { cards: found } = await cards({ boardColumnId: 'Backlog' });
  const card = found.find(({ id }) => id === blocked.id);
  expect(card).toMatchObject({
    taskId: blocked.taskId,
    version: 1,
    position: blocked.position,
    blockedBy: [first.taskId],
  });
  expect(Number(card?.estimatedCost)).toBeGreaterThan(0);
  await call(project.caller, 'workItems.move', { workItemId: first.id, boardColumnId: 'Done' });
  const [after] = (await cards({ ids: [blocked.taskId] })).cards;
  expect(after?.blockedBy).toEqual([]);
});

test('of cards requested by name, those are returned that are on the board and match', async () => {
  const [one, two] = [await project.create('task', { priority: 'urgent' }), await project.create('task')];
  const other = await call(project.caller, 'boards.create', { id: project.project.id, name: 'Other' });
  const elsewhere = await project.create('task', { boardId: other.id, boardColumnId: other.columns[0]?.id });
  const ids = [one.taskId, two.id, elsewhere.id, 'W-T-99999'];
  const named = async (filter: object) => (await cards({ ids, ...filter })).cards.map(({ id }) => id).sort();
  expect(await named({})).toEqual([one.id, two.id].sort());
  expect(await named({ priority: 'urgent' })).toEqual([one.id]);
  expect(await named({ boardColumnId: 'Done' })).toEqual([]);
  await expect(cards({ ids, search: 'x' })).rejects.toThrow('search');
});

test('leads through a column by cursor, each card once', async () => {
  const created = [];
  for (let count = 0; count < 5; count++) created.push((await project.create('task', { column: 'Testing' })).id);
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await cards({ boardColumnId: 'Testing', limit: 2, ...(cursor && { cursor }) });
    expect(page.pagination.total).toBe(5);
    seen.push(...page.cards.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor);
  expect(seen).toEqual(created);
});

test('a board that does not exist is not found', async () => {
  await expect(cards({ id: '01990000-0000-7000-8000-000000000000' })).rejects.toThrow(/board/i);
});

test('a move with an old version is refused with the item as it is', async () => {
  const item = await project.create('task');
  const move = (boardColumnId: string, version: number) =>
    call(project.caller, 'workItems.move', { workItemId: item.id, boardColumnId, version });
  expect((await move('To Do', 1)).workItem.version).toBe(2);
  await expect(move('Done', 1)).rejects.toMatchObject({
    code: 'CONFLICT',
    extra: { current: { columnName: 'To Do', version: 2 } },
  });
});

test('what a board shows first is in one answer: the same as its parts, whose cursors it continues', async () => {
  const own = await startProject();
  await own.create('task', { column: 'To Do' });
  for (let count = 0; count < 3; count++) await own.create('task', { column: 'Review' });
  const asked: string[] = [];
  mongoose.set('debug', (collection: string) => void asked.push(collection));
  const view = await call(own.caller, 'boards.open', { projectId: own.project.id, limit: 2 });
  mongoose.set('debug', false);
  // For all columns together: a board of fifty would ask fifty times.
  const times = ({ collection }: mongoose.Model<never>) => asked.filter((name) => name === collection.name).length;
  expect(times(SessionModel as never)).toBe(1);
  expect(times(BoardModel as never)).toBeLessThan(own.board.columns.length);
  expect(view.boardId).toBe(own.board.id);
  expect(view.projects.projects).toEqual((await call(own.caller, 'projects.list', {})).projects);
  expect(view.boards).toEqual(await call(own.caller, 'boards.list', { id: own.project.id }));
  expect(await call(own.caller, 'boards.open', { boardId: own.board.id, limit: 2 })).toEqual(view);
  for (const { boardColumnId, ...page } of view.columns) {
    expect(page).toEqual(await call(own.caller, 'boards.cards', { id: own.board.id, boardColumnId, limit: 2 }));
  }
  const review = view.columns.find(({ cards }) => cards.length === 2);
  const rest = { id: own.board.id, boardColumnId: review?.boardColumnId, cursor: review?.nextCursor ?? '' };
  expect((await call(own.caller, 'boards.cards', rest)).cards).toHaveLength(1);
  const unknown = '01990000-0000-7000-8000-000000000000';
  await expect(call(own.caller, 'boards.open', { projectId: unknown })).rejects.toThrow(/project/i);
  await expect(call(own.caller, 'boards.open', { boardId: unknown })).rejects.toThrow(/board/i);
});

test('a board of which each card says at length what to fix begins with fewer of them', async () => {
  const own = await startProject();
  const issues = Array.from({ length: 20 }, () => '直'.repeat(500));
  const returned = { from: 'review', at: new Date(), summary: '直'.repeat(500), issues };
  for (const { name } of own.board.columns) {
    const { id } = await own.create('task', { column: name });
    const item = await ItemModel.findOne({ organizationId: own.caller.organizationId, _id: id }).lean();
    const copies = Array.from({ length: 50 }, (_, n) => {
      const [_id, taskId] = [uuidv7(), `${item?.taskId}${100 + n}`];
      return { ...item, _id, taskId, foundBy: [itself(_id), itself(taskId)], position: n + 1, returned };
    });
    await ItemModel.insertMany(copies, { lean: true });
  }
  const view = await call(own.caller, 'boards.open', { projectId: own.project.id, limit: 50 });
  expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(8 * 1024 * 1024);
  for (const { boardColumnId, cards: first, nextCursor } of view.columns) {
    expect(first.length).toBeGreaterThan(0);
    const rest = await call(own.caller, 'boards.cards', { id: own.board.id, boardColumnId, cursor: nextCursor ?? '' });
    expect(first.length + rest.cards.length).toBe(51);
  }
});

test('what filters leave of a board is read once for all its columns, and listed like each of them', async () => {
  const own = await startProject();
  const create = (column: string, assignee: string) => own.create('task', { column, assignee });
  for (let count = 0; count < 3; count++) await create('Review', 'ada');
  const last = await create('To Do', 'ada');
  await create('To Do', 'grace');
  const first = await create('To Do', 'ada');
  await call(own.caller, 'workItems.move', { workItemId: first.id, boardColumnId: 'To Do', position: 'first' });
  const filters = { assignee: ['ada'], limit: 2 };
  const open = () => call(own.caller, 'boards.open', { boardId: own.board.id, ...filters });
  const likeItsParts = async () => {
    const { columns } = await open();
    for (const { boardColumnId, ...page } of columns) {
      expect(page).toEqual(await call(own.caller, 'boards.cards', { id: own.board.id, boardColumnId, ...filters }));
    }
    return columns.filter(({ cards: { length } }) => length > 0);
  };
  const timesAsked = async () => {
    let asked = 0;
    mongoose.set('debug', (collection: string, _: string, pipeline: unknown) => {
      if (collection === ItemModel.collection.name && JSON.stringify(pipeline).includes('"ada"')) asked++;
    });
    await open();
    mongoose.set('debug', false);
    return asked;
  };
  // A board in lanes asks for each lane, and a column of thousands has a few of it.
  expect(await timesAsked()).toBe(1);
  const [toDo, review] = await likeItsParts();
  expect(toDo?.cards.map(({ id }) => id)).toEqual([first.id, last.id]);
  expect(review?.pagination.total).toBe(3);

  const item = await ItemModel.findOne({ organizationId: own.caller.organizationId, _id: last.id }).lean();
  const copy = async (count: number, from: number) => {
    const copies = Array.from({ length: count }, (_, n) => {
      const [_id, taskId] = [uuidv7(), `W-T-9${from + n}`];
      return { ...item, _id, taskId, foundBy: [itself(_id), itself(taskId)], position: from + n };
    });
    await ItemModel.insertMany(copies, { lean: true });
  };
  await copy(500, 0);
  expect(await timesAsked()).toBe(1);
  expect((await likeItsParts())[0]?.pagination.total).toBe(502);
  // So many that each column soon has enough of it.
  await copy(1_500, 500);
  expect(await timesAsked()).toBeGreaterThan(own.board.columns.length);
  expect((await likeItsParts())[0]?.pagination.total).toBe(2_002);
});
