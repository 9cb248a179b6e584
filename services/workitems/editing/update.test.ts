import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

describe('an update', () => {
  test('changes what is given and nothing else, counts one version and reports what changed', async () => {
    const before = await project.create('task', { title: 'Old', metadata: { keep: 1, drop: 2, deep: { a: 1 } } });
    const after = await project.update(before.taskId, {
      title: 'New',
      assignee: 'ada',
      metadata: { drop: null, deep: { b: 2 } },
    });
    expect(after).toEqual({
      ...before,
      title: 'New',
      assignee: 'ada',
      metadata: { keep: 1, deep: { a: 1, b: 2 } },
      version: 2,
      updatedAt: after.updatedAt,
    });
    expect(await project.get(before.id)).toEqual(after);
    const [event] = await project.history(before.id);
    expect(event).toMatchObject({
      eventType: 'updated',
      data: {
        changes: {
          title: { from: 'Old', to: 'New' },
          assignee: { from: null, to: 'ada' },
          metadata: { from: { drop: 2, deep: { a: 1 } }, to: { deep: { a: 1, b: 2 } } },
        },
      },
    });
  });

  test('that changes nothing is not a change', async () => {
    const item = await project.create('task', { title: 'Same', metadata: { a: 1 } });
    const { title, priority, boardColumnId } = item;
    expect(await project.update(item.id, { title, priority, boardColumnId, metadata: { a: 1 } })).toEqual(item);
    expect(await project.history(item.id)).toHaveLength(1);
  });

  test.each([null, ''])('with the assignee %j removes the assignee', async (assignee) => {
    const item = await project.create('task', { assignee: 'ada' });
    expect((await project.update(item.id, { assignee })).assignee).toBeNull();
  });

  test('keeps the task ID when the type changes', async () => {
    const item = await project.create('task');
    expect(await project.update(item.id, { type: 'story' })).toMatchObject({ taskId: item.taskId, type: 'story' });
  });

  test('of another organization’s item finds nothing', async () => {
    const stranger = await startProject();
    const item = await stranger.create('task');
    expect((await failure(project.update(item.id, { title: 'Mine' }))).code).toBe('NOT_FOUND');
  });

  test('that makes metadata too large is refused, and nothing of it is stored', async () => {
    const half = 'x'.repeat(130 * 1024);
    const item = await project.create('task', { metadata: { one: half } });
    const error = await failure(project.update(item.id, { title: 'New', metadata: { two: half } }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'metadata' }] } });
    expect(await project.get(item.id)).toEqual(item);
    expect((await project.update(item.id, { metadata: { one: null, two: half } })).metadata).toEqual({ two: half });
  });
});

describe('an update with a version', () => {
  test('is accepted if nothing has changed since, otherwise refused with the item as it is', async () => {
    const item = await project.create('task');
    const second = await project.update(item.id, { title: 'Second', version: 1 });
    const stale = await failure(project.update(item.id, { title: 'Third', version: 1 }));
    expect(stale.code).toBe('CONFLICT');
    expect(stale.extra.current).toEqual(second);
    expect(await project.get(item.id)).toEqual(second);
  });

  test('is accepted from one of many who read the same version', async () => {
    const item = await project.create('task');
    const titles = Array.from({ length: 10 }, (_, index) => `Title ${index}`);
    const outcomes = await Promise.allSettled(titles.map((title) => project.update(item.id, { title, version: 1 })));
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await project.get(item.id)).toEqual(won[0]?.value);
  });

  test('is stale after a move, and not after a child’s move that left the item where it is', async () => {
    const parent = await project.create('epic', { column: 'In Progress' });
    const child = await project.create('task', { parentId: parent.id });
    const sibling = await project.create('task', { parentId: parent.id });
    await project.move(child.id, 'Done');
    expect((await project.update(parent.id, { title: 'Still at one', version: 1 })).version).toBe(2);
    await project.move(sibling.id, 'Done');
    expect((await failure(project.update(parent.id, { title: 'Moved', version: 2 }))).code).toBe('CONFLICT');
  });

  test('merges metadata from all who send no version', async () => {
    const item = await project.create('task');
    const keys = Array.from({ length: 12 }, (_, index) => `key${index}`);
    await Promise.all(keys.map((key) => project.update(item.id, { metadata: { [key]: true } })));
    const after = await project.get(item.id);
    expect(Object.keys(after.metadata).sort()).toEqual(keys.sort());
    expect(after.version).toBe(13);
  });
});

describe('an update with a column', () => {
  test('is a move: to the end, with flags, history and cascade, in one version', async () => {
    const parent = await project.create('epic');
    await project.create('task', { column: 'In Progress', title: 'There before' });
    const item = await project.create('task', { parentId: parent.id, title: 'Old' });
    const boardColumnId = project.column('In Progress');
    const after = await project.update(item.id, { title: 'New', boardColumnId });
    expect(after).toMatchObject({ title: 'New', columnName: 'In Progress', isAiProcessing: true, version: 2 });
    expect((await project.titlesIn('In Progress')).at(0)).toBe('There before');
    expect(await project.history(item.id)).toMatchObject([
      { eventType: 'moved', data: { fromColumn: 'Backlog', toColumn: 'In Progress' } },
      { eventType: 'updated', data: { changes: { title: { from: 'Old', to: 'New' } } } },
      { eventType: 'created' },
    ]);
    expect((await project.get(parent.id)).columnName).toBe('In Progress');
  });

  test('of another board is refused', async () => {
    const other = await call(project.caller, 'boards.create', { id: project.project.id, name: 'Other' });
    const item = await project.create('task');
    const error = await failure(project.update(item.id, { boardColumnId: other.columns[0]?.id }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'boardColumnId' }] } });
  });
});

describe('a parent', () => {
  test('is set, changed and removed', async () => {
    const [one, two] = [await project.create('epic'), await project.create('epic')];
    const feature = await project.create('feature');
    expect((await project.update(feature.id, { parentId: one.id })).parentId).toBe(one.id);
    expect((await project.update(feature.id, { parentId: two.taskId })).parentId).toBe(two.id);
    expect((await project.update(feature.id, { parentId: null })).parentId).toBeNull();
    expect((await project.history(feature.id)).map(({ data }) => data)).toMatchObject([
      { changes: { parentId: { from: two.id, to: null } } },
      { changes: { parentId: { from: one.id, to: two.id } } },
      { changes: { parentId: { from: null, to: one.id } } },
      { taskId: feature.taskId },
    ]);
  });

  test('cannot be the item itself, nor anything below it', async () => {
    const top = await project.create('task');
    const middle = await project.create('task', { parentId: top.id });
    const bottom = await project.create('task', { parentId: middle.id });
    for (const parentId of [top.id, middle.id, bottom.taskId]) {
      const error = await failure(project.update(top.id, { parentId }));
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'parentId' }] } });
    }
    expect((await project.update(bottom.id, { parentId: top.id })).parentId).toBe(top.id);
  });

  test('and type are checked as they are after the update', async () => {
    const epic = await project.create('epic');
    const feature = await project.create('feature', { parentId: epic.id });
    // A story under an epic is not allowed, nor is an epic with a parent.
    expect((await failure(project.update(feature.id, { type: 'story' }))).code).toBe('VALIDATION_FAILED');
    expect((await failure(project.update(feature.id, { type: 'epic' }))).code).toBe('VALIDATION_FAILED');
    const promoted = await project.update(feature.id, { type: 'epic', parentId: null });
    expect(promoted).toMatchObject({ type: 'epic', parentId: null, version: 2 });
  });

  test('keeps a type that its children may have above them', async () => {
    const feature = await project.create('feature');
    const story = await project.create('story', { parentId: feature.id });
    const error = await failure(project.update(feature.id, { type: 'task' }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'type' }] } });
    expect(error.message).toContain(story.taskId);
    await project.update(story.id, { parentId: null });
    expect((await project.update(feature.id, { type: 'task' })).type).toBe('task');
  });
});
