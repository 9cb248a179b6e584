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

  test('says who did it: the user and the key', async () => {
    const item = await project.create('task');
    const colleague = { ...project.caller, userId: crypto.randomUUID(), keyId: crypto.randomUUID() };
    const { event } = await call(colleague, 'workItems.comment', { workItemId: item.id, text: 'Hello' });
    const { userId, keyId } = colleague;
    expect(event).toMatchObject({ eventType: 'comment', data: { text: 'Hello' }, actor: { userId, keyId } });
    expect((await project.history(item.id))[0]).toEqual(event);
    // A comment is no change of the item.
    expect((await project.get(item.id)).version).toBe(1);
  });

  test('leaves out its oldest events where an answer would be too large, and says so', async () => {
    const item = await project.create('task');
    for (let index = 0; index < 11; index++) {
      await project.update(item.id, { metadata: { text: String.fromCharCode(97 + index).repeat(220 * 1024) } });
    }
    const answer = await call(project.caller, 'workItems.events', { workItemId: item.id });
    expect(answer.totalEvents).toBe(12);
    expect(answer.truncated).toBe(true);
    expect(answer.events.length).toBeGreaterThan(5);
    expect(answer.events.length).toBeLessThan(12);
  });

  test('of an item that never was is not found', async () => {
    expect((await failure(project.history(project.board.id))).code).toBe('NOT_FOUND');
    expect((await failure(project.history('W-T-99999'))).code).toBe('NOT_FOUND');
  });
});
