import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CounterModel } from '../counters/counters.model.ts';
import { draw } from '../counters/counters.repository.ts';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { meanBetween } from './position.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

describe('a move', () => {
  test('answers with the item, both columns and who followed', async () => {
    const item = await project.create('task');
    const answer = await project.move(item.taskId, 'Review');
    expect(answer).toEqual({
      workItem: await project.get(item.id),
      fromColumn: 'Backlog',
      toColumn: 'Review',
      cascaded: [],
    });
    expect(answer.workItem).toMatchObject({ columnName: 'Review', version: 2, isAiProcessing: false });
    const [event] = await project.history(item.id);
    expect(event?.eventType).toBe('moved');
    expect(event?.data).toEqual({ fromColumn: 'Backlog', toColumn: 'Review' });
  });

  test('manages isAiProcessing, and with setAiProcessing keeps the provider', async () => {
    const item = await project.create('task', { metadata: { mine: 1 } });
    const flag = async (...args: [string, object?]) => (await project.move(item.id, ...args)).workItem;
    expect((await flag('In Progress')).isAiProcessing).toBe(true);
    expect((await flag('Testing')).isAiProcessing).toBe(true);
    expect((await flag('Review', { aiProvider: 'openai' })).metadata).toEqual({ mine: 1 });
    const forced = await flag('Done', { setAiProcessing: true, aiProvider: 'openai' });
    expect(forced).toMatchObject({ isAiProcessing: true, metadata: { mine: 1, aiProvider: 'openai' } });
  });

  test('to a column of another board is refused with the columns that exist', async () => {
    const other = await startProject('Other', project.organization);
    const item = await project.create('task');
    for (const boardColumnId of [other.column('Done'), item.id]) {
      const error = await failure(call(project.caller, 'workItems.move', { workItemId: item.id, boardColumnId }));
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'boardColumnId' }] } });
      expect(error.message).toContain(`Done (${project.column('Done')})`);
    }
    expect(await project.get(item.id)).toEqual(item);
  });

  test('of another organization’s item finds nothing', async () => {
    const stranger = await startProject();
    const item = await stranger.create('task');
    expect((await failure(project.move(item.id, 'Done'))).code).toBe('NOT_FOUND');
  });
});

describe('the order of a column', () => {
  test('has a moved item at its end, first, or after another', async () => {
    const own = await startProject();
    for (const title of ['a', 'b', 'c']) await own.create('task', { title, column: 'To Do' });
    const [a, b] = (await call(own.caller, 'workItems.list', { boardColumnId: own.column('To Do') })).workItems;
    const [x, y, z] = [
      await own.create('task', { title: 'x' }),
      await own.create('task', { title: 'y' }),
      await own.create('task', { title: 'z' }),
    ];
    await own.move(x.id, 'To Do');
    await own.move(y.id, 'To Do', { position: 'first' });
    await own.move(z.id, 'To Do', { position: { after: a?.taskId ?? '' } });
    expect(await own.titlesIn('To Do')).toEqual(['y', 'a', 'z', 'b', 'c', 'x']);
    // Also within its column.
    await own.move(y.id, 'To Do', { position: { after: b?.id ?? '' } });
    await own.move(x.id, 'To Do', { position: 'first' });
    await own.move(z.id, 'To Do');
    expect(await own.titlesIn('To Do')).toEqual(['x', 'a', 'b', 'y', 'c', 'z']);
    // After the one before it: it stays where it is.
    await own.move(y.id, 'To Do', { position: { after: b?.id ?? '' } });
    expect(await own.titlesIn('To Do')).toEqual(['x', 'a', 'b', 'y', 'c', 'z']);
  });

  test('accepts any number of items in one spot', async () => {
    const own = await startProject();
    // Far from zero, floating point has no number left between two neighbours after a few halvings: the column is renumbered on the way.
    await drawFarAhead(own, `positions:${own.board.id}`);
    const anchor = await own.create('task', { title: 'anchor', column: 'To Do' });
    await own.create('task', { title: 'last', column: 'To Do' });
    const expected: string[] = [];
    for (let index = 0; index < 8; index++) {
      const item = await own.create('task', { title: `${index}` });
      await own.move(item.id, 'To Do', { position: { after: anchor.id } });
      expected.unshift(`${index}`);
      expect(await own.titlesIn('To Do')).toEqual(['anchor', ...expected, 'last']);
    }
    expect(meanBetween(anchor.position, anchor.position + 2 ** -2)).toBeUndefined();
    // For everybody who has read them, neighbours that are renumbered have not changed.
    expect((await own.get(anchor.id)).version).toBe(1);
    expect((await own.get(anchor.id)).position).not.toBe(anchor.position);
  });

  test('makes room nearby: the others keep their places, and whoever reads the column goes on where they were', async () => {
    const own = await startProject();
    const list = (input: { readonly limit: number; readonly cursor?: string }) =>
      call(own.caller, 'workItems.list', { boardColumnId: own.column('To Do'), ...input });
    async function tasks(count: number, column: string): Promise<string[]> {
      const items = Array.from({ length: count }, () => ({ title: 'task', type: 'task' as const }));
      const place = { boardId: own.board.id, boardColumnId: own.column(column) };
      return (await call(own.caller, 'workItems.createMany', { ...place, items })).items.map(({ id }) => id);
    }
    const column = await tasks(90, 'To Do');
    const [start, end] = [column[0], column.at(-2)] as [string, string];
    const [atStart, atEnd] = [await tasks(60, 'Backlog'), await tasks(60, 'Backlog')];
    const positionOf = async (index: number) => (await own.get(column[index] as string)).position;
    const kept = await positionOf(70);

    const pageOne = await list({ limit: 70 });
    for (const id of atStart) await own.move(id, 'To Do', { position: { after: start } });
    // Only the last can give way to them: a reader among them would miss those that moved back.
    let among: Awaited<ReturnType<typeof list>> | undefined;
    for (const [index, id] of atEnd.entries()) {
      await own.move(id, 'To Do', { position: { after: atEnd[index - 1] ?? end } });
      if (index === 40) among = await list({ limit: 19 + 30, cursor: pageOne.nextCursor ?? '' });
    }
    const { workItems: rest } = await list({ limit: 100, cursor: among?.nextCursor ?? '' });
    expect(rest.map(({ id }) => id)).toEqual([...atEnd.slice(30), column[89]]);
    const pageTwo = await list({ limit: 100, cursor: pageOne.nextCursor ?? '' });
    const idsOf = ({ workItems }: typeof pageOne) => workItems.map(({ id }) => id);
    expect([...idsOf(pageOne), ...idsOf(pageTwo)]).toEqual([...column.slice(0, -1), ...atEnd, column[89]]);
    expect(idsOf(await list({ limit: 61 }))).toEqual([start, ...atStart.toReversed()]);
    expect(await positionOf(70)).toBe(kept);
  });

  test('that is renumbered comes before what a move to its end, and after what a move to its start, has drawn but not stored', async () => {
    const own = await startProject();
    const sequence = `positions:${own.board.id}`;
    const underWay = await draw({ caller: own.caller }, sequence);
    await drawFarAhead(own, sequence);
    const anchor = await own.create('task', { title: 'anchor', column: 'To Do' });
    await own.create('task', { column: 'To Do' });
    for (let index = 0; index < 4; index++) {
      const item = await own.create('task');
      await own.move(item.id, 'To Do', { position: { after: anchor.id } });
    }
    const { workItems } = await call(own.caller, 'workItems.list', { boardColumnId: own.column('To Do') });
    expect(workItems).toHaveLength(6);
    const positions = await Promise.all(workItems.map(async ({ id }) => (await own.get(id)).position));
    for (const position of positions) expect(Math.abs(position)).toBeLessThan(underWay);
    // What arrives now is at the end, and at the start.
    const [last, first] = [await own.create('task', { title: 'last' }), await own.create('task', { title: 'first' })];
    await own.move(last.id, 'To Do');
    await own.move(first.id, 'To Do', { position: 'first' });
    const titles = await own.titlesIn('To Do');
    expect([titles.at(0), titles.at(-1)]).toEqual(['first', 'last']);
  });

  test('is total when many are put after the same item at once', async () => {
    const own = await startProject();
    const anchor = await own.create('task', { title: 'anchor', column: 'To Do' });
    await own.create('task', { title: 'last', column: 'To Do' });
    const items = await Promise.all(Array.from({ length: 8 }, (_, index) => own.create('task', { title: `${index}` })));
    const position = { after: anchor.id };
    const moved = await Promise.all(items.map(({ id }) => own.move(id, 'To Do', { position })));
    expect(new Set(moved.map(({ workItem }) => workItem.position)).size).toBe(8);
    const titles = await own.titlesIn('To Do');
    expect(titles.at(0)).toBe('anchor');
    expect(titles.at(-1)).toBe('last');
  });

  test('has concurrent moves at its end, each at a place of its own', async () => {
    const own = await startProject();
    const before = await own.create('task', { title: 'before', column: 'Review' });
    const items = await Promise.all(Array.from({ length: 20 }, () => own.create('task')));
    await Promise.all(items.map(({ id }) => own.move(id, 'Review')));
    const { workItems } = await call(own.caller, 'workItems.list', { boardColumnId: own.column('Review'), limit: 100 });
    expect(workItems).toHaveLength(21);
    expect(workItems[0]?.id).toBe(before.id);
  });

  test.each(['an item of another column', 'the item itself'])('is not after %s', async (which) => {
    const [item, other] = [await project.create('task'), await project.create('task', { column: 'Done' })];
    const after = which === 'the item itself' ? item.id : other.id;
    const error = await failure(project.move(item.id, 'Backlog', { position: { after } }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'position.after' }] } });
  });

  test('appends after items that a batch has brought in with their old positions', async () => {
    const own = await startProject();
    const [early, late] = [await own.create('task', { title: 'early' }), await own.create('task', { title: 'late' })];
    await call(own.caller, 'workItems.batchMove', {
      workItemIds: [late.id, early.id],
      boardColumnId: own.column('Testing'),
    });
    const next = await own.create('task', { title: 'next' });
    await own.move(next.id, 'Testing');
    expect(await own.titlesIn('Testing')).toEqual(['early', 'late', 'next']);
  });
});

async function drawFarAhead({ caller }: TestProject, name: string): Promise<void> {
  await draw({ caller }, name);
  await CounterModel.updateOne({ organizationId: caller.organizationId, name }, { $inc: { value: 2 ** 50 } });
}
