import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

describe('the history of an item', () => {
  test('is newest first, counts what matches the filter, and is cut by the limit', async () => {
    const item = await project.create('task', { title: 'Watched' });
    for (const column of ['To Do', 'In Progress', 'Review']) await project.move(item.id, column);
    await call(project.caller, 'workItems.comment', { workItemId: item.taskId, text: ' Well done ' });

    const all = await call(project.caller, 'workItems.events', { workItemId: item.taskId });
    expect(all).toMatchObject({ workItemId: item.id, taskId: item.taskId, title: 'Watched', totalEvents: 5 });
    expect(all.events.map(({ eventType }) => eventType)).toEqual(['comment', 'moved', 'moved', 'moved', 'created']);

    const moved = await call(project.caller, 'workItems.events', { workItemId: item.id, eventType: 'moved', limit: 2 });
    expect(moved.totalEvents).toBe(3);
    expect(moved.events.map(({ data }) => data.toColumn)).toEqual(['Review', 'In Progress']);
  });

  test('is read to its beginning, page by page, whatever comes meanwhile and however many events one change has', async () => {
    const item = await project.create('task', { title: 'Long' });
    for (const [n, column] of ['To Do', 'In Progress', 'To Do', 'In Progress'].entries()) {
      await project.update(item.id, { title: `Long ${n}`, boardColumnId: project.column(column) });
    }
    const whole = await project.history(item.id);
    expect(whole).toHaveLength(9);
    for (const limit of [1, 2, 5]) {
      const seen = [];
      let cursor: string | undefined;
      do {
        const page = await call(project.caller, 'workItems.events', { workItemId: item.taskId, limit, cursor });
        seen.push(...page.events);
        cursor = page.nextCursor ?? undefined;
        await call(project.caller, 'workItems.comment', { workItemId: item.id, text: 'Meanwhile' });
      } while (cursor);
      expect(seen.filter(({ eventType }) => eventType !== 'comment')).toEqual(whole);
    }
    const moved = { workItemId: item.id, eventType: 'moved', limit: 3 } as const;
    const { nextCursor } = await call(project.caller, 'workItems.events', moved);
    const cursor = String(nextCursor);
    expect(await call(project.caller, 'workItems.events', { ...moved, cursor })).toMatchObject({
      ...{ events: [{ data: { toColumn: 'To Do' } }], totalEvents: 4, nextCursor: null },
    });
    const others = { workItemId: item.id, limit: 3, cursor };
    expect((await failure(call(project.caller, 'workItems.events', others))).code).toBe('VALIDATION_FAILED');
    await call(project.caller, 'workItems.delete', { id: item.id });
    const rest = await call(project.caller, 'workItems.events', { ...moved, cursor });
    expect(rest.events).toHaveLength(1);
  });

  test('says who did it: the user and the key', async () => {
    const item = await project.create('task');
    const colleague = { ...project.caller, userId: crypto.randomUUID(), keyId: crypto.randomUUID() };
    const { event } = await call(colleague, 'workItems.comment', { workItemId: item.id, text: 'Hello' });
    const { userId, keyId } = colleague;
    expect(event).toMatchObject({ eventType: 'comment', data: { text: 'Hello' }, actor: { userId, keyId } });
    expect((await project.history(item.id))[0]).toEqual(event);
    // A comment is not a change of the item.
    expect((await project.get(item.id)).version).toBe(1);
  });

  test('leaves out its oldest events if an answer would be too large, and says so', async () => {
    const text = '語'.repeat(10_000);
    const large = { description: text.repeat(5), metadata: { text: 'x'.repeat(250 * 1024) } };
    const item = await project.create('task', large);
    for (let index = 0; index < 199; index++) {
      await call(project.caller, 'workItems.comment', { workItemId: item.id, text });
    }
    const answer = await call(project.caller, 'workItems.events', { workItemId: item.id, limit: 200 });
    expect(answer.totalEvents).toBe(200);
    expect(answer.truncated).toBe(true);
    expect(answer.events.length).toBeGreaterThan(190);
    expect(answer.events.length).toBeLessThan(200);
    const cursor = String(answer.nextCursor);
    const older = await call(project.caller, 'workItems.events', { workItemId: item.id, limit: 200, cursor });
    expect([older.events.length, older.nextCursor]).toEqual([200 - answer.events.length, null]);
  });

  test('keeps 4 KiB of each old and new value, and marks what it has shortened', async () => {
    const [before, after] = ['語'.repeat(50_000), 'x'.repeat(4_000)];
    const item = await project.create('task', {
      title: 'Old',
      description: before,
      metadata: { small: 1, large: before },
    });
    await project.update(item.id, {
      title: 'New',
      description: after,
      metadata: { small: 2, large: 'y'.repeat(5_000) },
    });
    const [event] = await project.history(item.id);
    const { title, description, metadata } = (event?.data.changes ?? {}) as Record<string, Record<string, unknown>>;
    expect(title).toEqual({ from: 'Old', to: 'New' });
    expect(description).toEqual({ from: expect.stringMatching(/^語{1000,}…$/), to: after, fromTruncated: true });
    expect(metadata).toMatchObject({ from: { small: 1 }, to: { small: 2 }, fromTruncated: true, toTruncated: true });
    for (const value of [description?.from, metadata?.from, metadata?.to]) {
      expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(4 * 1024);
    }
    // The item itself has all of it.
    expect(await project.get(item.id)).toMatchObject({ description: after, metadata: { small: 2 } });
  });

  test('of an item that never existed is not found', async () => {
    expect((await failure(project.history(project.board.id))).code).toBe('NOT_FOUND');
    expect((await failure(project.history('W-T-99999'))).code).toBe('NOT_FOUND');
  });
});
