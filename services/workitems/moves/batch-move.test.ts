import { MAX_METADATA_BYTES } from '@worktrack/contracts/metadata';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const batch = (workItemIds: string[], column: string, options = {}) =>
  call(project.caller, 'workItems.batchMove', { workItemIds, boardColumnId: project.column(column), ...options });

describe('a batch move', () => {
  test('moves what exists, each with its event, and says what it skipped and why', async () => {
    const other = await call(project.caller, 'boards.create', { id: project.project.id, name: 'Other' });
    const stranger = await (await startProject()).create('task');
    const [one, two] = [await project.create('task'), await project.create('story', { column: 'Done' })];
    const elsewhere = await project.create('task', { boardId: other.id, boardColumnId: other.columns[0]?.id });

    const answer = await batch([two.taskId, one.id, elsewhere.id, stranger.id, 'W-T-99999', one.id], 'Testing');
    expect(answer.movedCount).toBe(2);
    expect(answer.items).toMatchObject([
      { id: two.id, columnName: 'Testing', version: 2 },
      { id: one.id, columnName: 'Testing', version: 2 },
    ]);
    expect(answer.skipped.map(({ id }) => id)).toEqual([elsewhere.id, stranger.id, 'W-T-99999']);
    expect(answer.note).toMatch(/bulk.*cascade.*position/i);

    for (const { id, columnName: from, position } of [one, two]) {
      const after = await project.get(id);
      expect(after).toMatchObject({ columnName: 'Testing', version: 2, position });
      const [event] = await project.history(id);
      expect(event).toMatchObject({ eventType: 'moved' });
      expect(event?.data).toEqual({ fromColumn: from, toColumn: 'Testing', batch: true });
    }
    expect((await project.get(elsewhere.id)).version).toBe(1);
  });

  test('leaves isAiProcessing and the provider alone, except with setAiProcessing', async () => {
    const item = await project.create('task', { metadata: { mine: 1 } });
    await batch([item.id], 'In Progress', { aiProvider: 'openai' });
    expect(await project.get(item.id)).toMatchObject({ isAiProcessing: false, metadata: { mine: 1 } });
    const { items } = await batch([item.id], 'Done', { setAiProcessing: true, aiProvider: 'openai' });
    expect(items[0]?.isAiProcessing).toBe(true);
    expect(await project.get(item.id)).toMatchObject({
      isAiProcessing: true,
      metadata: { mine: 1, aiProvider: 'openai' },
    });
    await batch([item.id], 'Review');
    expect((await project.get(item.id)).isAiProcessing).toBe(true);
  });

  test('skips an item whose metadata has no room for the provider, and moves it without one', async () => {
    const full = await project.create('task', { metadata: { text: 'x'.repeat(MAX_METADATA_BYTES - 20) } });
    const other = await project.create('task');
    const answer = await batch([full.id, other.id], 'In Progress', { setAiProcessing: true, aiProvider: 'openai' });
    expect(answer).toMatchObject({ movedCount: 1, skipped: [{ id: full.id }] });
    expect(await project.get(full.id)).toMatchObject({ columnName: 'Backlog', version: 1 });
    expect((await batch([full.id], 'In Progress', { setAiProcessing: true })).movedCount).toBe(1);
  });

  test('of what is to be moved from a column leaves what is elsewhere by then', async () => {
    const [still, gone] = [await project.create('task'), await project.create('task', { column: 'Review' })];
    const answer = await batch([still.id, gone.id], 'Done', { fromColumnId: 'Backlog' });
    expect(answer).toMatchObject({ movedCount: 1, items: [{ id: still.id, columnName: 'Done' }] });
    expect(answer.skipped).toEqual([{ id: gone.id, reason: 'It is in "Review" now.' }]);
    expect(await project.get(gone.id)).toMatchObject({ columnName: 'Review', version: 1 });
  });

  test('accepts 500 items, and refuses one more', async () => {
    const one = await project.create('task');
    const many = Array.from({ length: 499 }, (_, index) => `W-T-${100_000 + index}`);
    const answer = await batch([one.id, ...many], 'Done');
    expect([answer.movedCount, answer.skipped.length]).toEqual([1, 499]);
    await expect(batch([one.id, ...many, 'W-T-1000000'], 'Done')).rejects.toThrow('workItemIds');
  });

  test('to a column by name moves each item on its own board, and skips those whose board has no such column', async () => {
    const own = await startProject();
    const columnsOf = (names: string[]) => ({
      id: own.project.id,
      name: 'Other',
      columns: names.map((name) => ({ name })),
    });
    const other = await call(own.caller, 'boards.create', columnsOf(['Backlog', 'Doing', 'REVIEW', 'Done']));
    const third = await call(own.caller, 'boards.create', columnsOf(['Backlog', 'Doing', 'Shipped']));
    const on = (board: typeof other) => own.create('task', { boardId: board.id, boardColumnId: board.columns[0]?.id });
    const [here, there, without] = [await own.create('task'), await on(other), await on(third)];
    const workItemIds = [here.id, there.id, without.id];
    const answer = await call(own.caller, 'workItems.batchMove', { workItemIds, boardColumnId: 'review' });
    expect(answer.movedCount).toBe(2);
    expect(answer.items).toMatchObject([
      { id: here.id, boardColumnId: own.column('Review'), columnName: 'Review' },
      { id: there.id, boardColumnId: other.columns[2]?.id, columnName: 'REVIEW' },
    ]);
    expect(answer.skipped).toMatchObject([{ id: without.id }]);
    expect(await own.get(there.id)).toMatchObject({ columnName: 'REVIEW', version: 2 });
    expect(await own.get(without.id)).toMatchObject({ version: 1 });
  });

  test('to a column that is on no board of the items is refused with the columns that exist', async () => {
    const stranger = await startProject();
    const item = await project.create('task');
    for (const boardColumnId of [item.id, stranger.column('Done'), 'Nowhere']) {
      const input = { workItemIds: [item.id], boardColumnId };
      const { code, message } = await failure(call(project.caller, 'workItems.batchMove', input));
      expect(code).toBe('VALIDATION_FAILED');
      for (const { id, name } of project.board.columns) expect(message).toContain(`${name} (${id})`);
    }
  });
});
