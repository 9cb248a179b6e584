import type { Caller } from '@worktrack/contracts/caller';
import { ITEM_TYPES } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, failure, newCaller, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { MAX_TREE_LEVELS } from '../trees/parent.ts';
import { parentFault } from '../trees/parent-rules.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const withoutSession = ({ sessionProjectId: _, ...caller }: Caller): Caller => caller;

test('a board that is named otherwise than by its id is refused with where the ids are', async () => {
  const fields = { title: 'New', type: 'task' as const, boardColumnId: 'Backlog' };
  const refused = call(project.caller, 'workItems.create', { ...fields, boardId: 'Main' });
  await expect(refused).rejects.toThrow('list_projects (GET /api/projects) shows the id and the defaultBoardId');
});

describe('a created item', () => {
  test('has what was given, defaults for the rest, and is recorded as created', async () => {
    const item = await project.create('task', { title: '  Fix it ', metadata: { a: 1, b: null } });
    expect(item).toMatchObject({
      title: 'Fix it',
      description: '',
      type: 'task',
      priority: 'medium',
      assignee: null,
      columnName: 'Backlog',
      parentId: null,
      projectId: project.project.id,
      boardId: project.board.id,
      metadata: { a: 1 },
      isAiProcessing: false,
      version: 1,
    });
    expect(item.createdAt).toBe(item.updatedAt);
    expect(await project.get(item.id)).toEqual(item);
    expect(await project.get(item.taskId)).toEqual(item);
    const { userId, keyId } = project.caller;
    expect(await project.history(item.id)).toMatchObject([
      { eventType: 'created', data: item, actor: { userId, keyId } },
    ]);
  });

  test('is at the end of its column', async () => {
    const own = await startProject();
    for (const title of ['one', 'two', 'three']) await own.create('task', { title, column: 'To Do' });
    expect(await own.titlesIn('To Do')).toEqual(['one', 'two', 'three']);
  });

  test('leaves nothing behind when it is refused', async () => {
    const own = await startProject();
    const large = { text: 'x'.repeat(256 * 1024) };
    const error = await failure(own.create('task', { metadata: large }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'metadata' }] } });
    const { pagination } = await call(own.caller, 'workItems.list', {});
    expect(pagination.total).toBe(0);
    // Not even a number is used up.
    expect((await own.create('task')).taskId).toBe('W-T-1');
  });
});

describe('a task ID', () => {
  test('counts up across all types, and its letter is the type', async () => {
    const own = await startProject('Zebra');
    const ids: string[] = [];
    for (const type of ITEM_TYPES) ids.push((await own.create(type)).taskId);
    expect(ids).toEqual(['Z-E-1', 'Z-F-2', 'Z-S-3', 'Z-T-4', 'Z-I-5']);
  });

  test('counts on in another project with the same key, and from one for another key or organization', async () => {
    const one = await startProject('Alpha');
    await one.create('task');
    const sameKey = await startProject('Abacus', one.organization);
    await call(sameKey.caller, 'projects.update', { id: sameKey.project.id, key: 'A' });
    const otherKey = await startProject('Beta', one.organization);
    const otherOrganization = await startProject('Alpha');
    expect((await sameKey.create('task')).taskId).toBe('A-T-2');
    expect((await otherKey.create('task')).taskId).toBe('B-T-1');
    expect((await otherOrganization.create('task')).taskId).toBe('A-T-1');
    expect((await one.create('task')).taskId).toBe('A-T-3');
  });

  test('is not reused after its item is deleted', async () => {
    const own = await startProject();
    const first = await own.create('task');
    await call(own.caller, 'workItems.delete', { id: first.id });
    expect((await own.create('task')).taskId).toBe('W-T-2');
  });

  test('is unique and without gaps when forty items are created at once', async () => {
    const own = await startProject();
    const items = await Promise.all(Array.from({ length: 40 }, () => own.create('task')));
    const numbers = items.map(({ taskId }) => Number(taskId.split('-')[2])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(new Set(items.map(({ position }) => position)).size).toBe(40);
  });
});

describe('a parent', () => {
  test.each(ITEM_TYPES.flatMap((child) => ITEM_TYPES.map((parent) => ({ child, parent }))))(
    'of type $parent of a $child is accepted or refused as the rules say',
    async ({ child, parent }) => {
      const { id, taskId } = await project.create(parent);
      const created = project.create(child, { parentId: taskId });
      if (parentFault(child, parent)) {
        const error = await failure(created);
        expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'parentId' }] } });
      } else expect((await created).parentId).toBe(id);
    },
  );

  test('must be in the same project', async () => {
    const other = await startProject('Other', project.organization);
    const { id } = await other.create('task');
    const error = await failure(project.create('task', { parentId: id }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'parentId' }] } });
  });

  test('that does not exist, or belongs to another organization, is not found', async () => {
    const stranger = await startProject();
    const { id } = await stranger.create('epic');
    expect((await failure(project.create('task', { parentId: id }))).code).toBe('NOT_FOUND');
    expect((await failure(project.create('task', { parentId: 'W-T-999999' }))).code).toBe('NOT_FOUND');
  });

  test('of a task may be a task, as deep as the limit and no deeper', async () => {
    let parentId: string | undefined;
    for (let level = 1; level <= MAX_TREE_LEVELS; level++) parentId = (await project.create('task', { parentId })).id;
    const error = await failure(project.create('task', { parentId }));
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'parentId' }] } });
  });
});

describe('board, column and project of a new item', () => {
  test('must belong together', async () => {
    const other = await startProject('Other', project.organization);
    const wrongColumn = await failure(project.create('task', { boardColumnId: other.column('Backlog') }));
    expect(wrongColumn).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'boardColumnId' }] } });
    expect(wrongColumn.message).toContain(project.column('To Document'));
    const wrongProject = await failure(project.create('task', { projectId: other.project.id }));
    expect(wrongProject).toMatchObject({ code: 'VALIDATION_FAILED', extra: { details: [{ path: 'projectId' }] } });
    const session: Caller = { ...project.caller, sessionProjectId: other.project.id };
    const input = {
      title: 'A',
      type: 'task',
      boardId: project.board.id,
      boardColumnId: project.column('Done'),
    } as const;
    expect((await failure(call(session, 'workItems.create', input))).code).toBe('VALIDATION_FAILED');
  });

  test('follow from the board when no project is named', async () => {
    const input = {
      title: 'A',
      type: 'task',
      boardId: project.board.id,
      boardColumnId: project.column('Done'),
    } as const;
    const item = await call(withoutSession(project.caller), 'workItems.create', input);
    expect(item.projectId).toBe(project.project.id);
  });

  test('of another organization are not found', async () => {
    const stranger = await startProject();
    const there = { boardId: stranger.board.id, boardColumnId: stranger.column('Backlog') };
    expect((await failure(project.create('task', there))).code).toBe('NOT_FOUND');
  });
});

describe('the shortcut creators', () => {
  const shortcuts = [
    ['workItems.createTask', 'task'],
    ['workItems.createStory', 'story'],
    ['workItems.createFeature', 'feature'],
    ['workItems.createEpic', 'epic'],
  ] as const;

  test.each(shortcuts)('%s puts a %s into the Backlog of the default board of the session', async (name, type) => {
    const item = await call(project.caller, name, { title: 'Short', priority: 'urgent' });
    const { id: projectId } = project.project;
    expect(item).toMatchObject({
      type,
      priority: 'urgent',
      columnName: 'Backlog',
      boardId: project.board.id,
      projectId,
    });
  });

  test('use the default board, whichever it is', async () => {
    const own = await startProject();
    const board = await call(own.caller, 'boards.create', { id: own.project.id, name: 'Second' });
    await call(own.caller, 'projects.update', { id: own.project.id, defaultBoardId: board.id });
    expect((await call(own.caller, 'workItems.createTask', { title: 'A' })).boardId).toBe(board.id);
  });

  test('without a session project: create_task is refused, the others use the parent’s or the only project', async () => {
    const own = await startProject();
    const caller = withoutSession(own.caller);
    const refused = await failure(call(caller, 'workItems.createTask', { title: 'A' }));
    expect(refused.code).toBe('VALIDATION_FAILED');
    expect(refused.message).toContain('/mcp?projectId=');
    const epic = await call(caller, 'workItems.createEpic', { title: 'A' });
    expect(epic.projectId).toBe(own.project.id);

    await startProject('Other', own.organization);
    expect((await failure(call(caller, 'workItems.createEpic', { title: 'A' }))).code).toBe('VALIDATION_FAILED');
    const feature = await call(caller, 'workItems.createFeature', { title: 'A', parentId: epic.taskId });
    expect(feature.projectId).toBe(own.project.id);
  });

  test('are refused if the default board has no column for what is pending', async () => {
    const own = await startProject();
    await call(own.caller, 'boards.update', { id: own.board.id, columns: [{ name: 'Somewhere' }] });
    const refused = await failure(call(own.caller, 'workItems.createTask', { title: 'A' }));
    expect(refused.code).toBe('VALIDATION_FAILED');
    expect(refused.message).toContain('create_work_item');
  });

  test('in a project of another organization find nothing', async () => {
    const caller: Caller = { ...newCaller(), sessionProjectId: project.project.id };
    expect((await failure(call(caller, 'workItems.createTask', { title: 'A' }))).code).toBe('NOT_FOUND');
  });
});
