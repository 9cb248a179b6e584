import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CallService,
  call,
  failure,
  newCaller,
  startProject,
  startReplicas,
  startWorkItems,
  stopWorkItems,
} from '../testing.ts';

let replicas: { readonly call: CallService; stop(): Promise<void> };
beforeAll(async () => {
  await startWorkItems();
  replicas = await startReplicas(2);
});
afterAll(async () => {
  await replicas.stop();
  await stopWorkItems();
});

/** Where anything names the project or one of these boards, except what an answer said at the time and what was paid for work. */
async function collectionsThatName(...ids: string[]): Promise<string[]> {
  const database = mongoose.connection.db as mongoose.mongo.Db;
  const names = (await database.listCollections().toArray()).map(({ name }) => name).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const text = JSON.stringify(await database.collection(name).find().toArray());
      return ids.some((id) => text.includes(id)) ? [name] : [];
    }),
  );
  return found.flat();
}
const KEPT = ['ai_sessions', 'effects', 'outbox', 'work_item_history'];

describe('a project without work items', () => {
  test('is deleted with its boards, and nothing else of the organization', async () => {
    const own = await startProject();
    const other = await startProject('Other', own.organization);
    const { id } = own.project;
    const second = await call(own.caller, 'boards.create', { id, name: 'Second' });
    expect(await call(own.organization, 'projects.delete', { id })).toEqual({ deleted: true, id });

    for (const boardId of [own.board.id, second.id]) {
      expect((await failure(call(own.organization, 'boards.get', { id: boardId }))).code).toBe('NOT_FOUND');
    }
    for (const again of ['projects.get', 'projects.delete', 'boards.list'] as const) {
      expect((await failure(call(own.organization, again, { id }))).code).toBe('NOT_FOUND');
    }
    const { projects, pagination } = await call(own.organization, 'projects.list', {});
    expect(projects).toEqual([other.project]);
    expect(pagination.total).toBe(1);
    expect(await call(own.organization, 'boards.get', { id: other.board.id })).toEqual(other.board);
    expect(await collectionsThatName(id, own.board.id, second.id)).toEqual(['effects', 'outbox']);
  });

  test('may have had some: their histories and costs stay, and their numbers are not reused', async () => {
    const own = await startProject('Worktrack');
    const item = await own.create('task', { title: 'Short-lived' });
    const usage = { model: 'gpt-4o', totalTokens: 100 };
    await call(own.caller, 'workItems.recordSession', { workItemId: item.id, ...usage });
    await call(own.caller, 'workItems.delete', { id: item.id });
    const { id } = own.project;
    expect(await call(own.organization, 'projects.delete', { id })).toEqual({ deleted: true, id });

    const { events } = await call(own.organization, 'workItems.events', { workItemId: item.id });
    expect(events.map(({ eventType }) => eventType)).toEqual(['deleted', 'ai_session', 'created']);
    expect((await call(own.organization, 'workItems.usage', {})).totals.totalTokens).toBe(100);
    expect((await failure(call(own.organization, 'workItems.usage', { projectId: id }))).code).toBe('NOT_FOUND');
    const left = await collectionsThatName(id, own.board.id);
    expect(left.filter((name) => !KEPT.includes(name))).toEqual([]);

    const next = await startProject('Worktrack', own.organization);
    expect((await next.create('task')).taskId).toBe('W-T-2');
  });
});

test('a project with work items is not deleted, and the refusal says how many there are and what to do', async () => {
  const own = await startProject('Shop');
  const { id } = own.project;
  const first = await own.create('task');
  const error = () => failure(call(own.organization, 'projects.delete', { id }));
  expect(await error()).toMatchObject({
    code: 'CONFLICT',
    message: 'Project "Shop" holds 1 work item. Delete them before you delete the project.',
  });
  await own.create('idea', { column: 'Done' });
  expect((await error()).message).toContain('holds 2 work items');
  expect(await call(own.organization, 'projects.get', { id })).toEqual(own.project);
  expect(await own.get(first.id)).toEqual(first);
  // What is not stored has changed nothing: items can still be put on the board.
  expect((await own.create('task')).columnName).toBe('Backlog');
});

test('a project of another organization is not found, and stays', async () => {
  const own = await startProject();
  const { id } = own.project;
  expect((await failure(call(newCaller(), 'projects.delete', { id }))).code).toBe('NOT_FOUND');
  expect((await failure(call(own.organization, 'projects.delete', { id: uuidv7() }))).code).toBe('NOT_FOUND');
  expect(await call(own.organization, 'projects.get', { id })).toEqual(own.project);
});

describe('during the deletion of their project by another replica', () => {
  test.each([1, 2, 3, 4, 5])(
    'items and boards are created in a project that stays, or not at all (round %i)',
    async () => {
      const own = await startProject('Worktrack', newCaller(), replicas.call);
      const { id } = own.project;
      // So that both replicas have the board and the project cached.
      for (const title of ['A', 'B', 'C', 'D']) {
        const item = await own.create('task', { title });
        await replicas.call(own.caller, 'workItems.delete', { id: item.id });
      }
      const writes = [
        own.create('task'),
        replicas.call(own.organization, 'projects.delete', { id }),
        replicas.call(own.caller, 'workItems.createTask', { title: 'In the backlog' }),
        replicas.call(own.organization, 'boards.create', { id, name: 'Second' }),
        replicas.call(own.organization, 'projects.update', { id, name: 'Renamed' }),
        replicas.call(own.organization, 'boards.update', { id: own.board.id, columns: [{ name: 'Only' }] }),
      ];
      const outcomes = await Promise.all(
        writes.map((write) =>
          write.then(
            () => 'done',
            ({ code }) => code as string,
          ),
        ),
      );
      const isDeleted = outcomes[1] === 'done';
      // VALIDATION_FAILED: the column was removed first.
      for (const outcome of outcomes) expect(['done', 'CONFLICT', 'NOT_FOUND', 'VALIDATION_FAILED']).toContain(outcome);
      if (isDeleted) {
        expect((await call(own.organization, 'workItems.list', {})).workItems).toEqual([]);
        const left = await collectionsThatName(id, own.board.id);
        // Places are drawn outside any transaction, so one that came to nothing may have been drawn after the deletion.
        expect(left.filter((name) => ![...KEPT, 'counters'].includes(name))).toEqual([]);
      } else {
        expect(outcomes[1]).toBe('CONFLICT');
        expect((await call(own.caller, 'workItems.list', {})).workItems.length).toBeGreaterThan(0);
        expect((await call(own.organization, 'projects.get', { id })).id).toBe(id);
      }
    },
  );
});

describe('during the deletion of a board by another replica', () => {
  test.each([1, 2, 3])('it is put to no use, or stays (round %i)', async () => {
    const own = await startProject('Worktrack', newCaller(), replicas.call);
    const { id } = own.project;
    const second = await replicas.call(own.organization, 'boards.create', { id, name: 'Second' });
    const place = { projectId: id, boardId: second.id, boardColumnId: second.columns[0]?.id ?? '' };
    const create = () => replicas.call(own.caller, 'workItems.create', { type: 'task', title: 'Late', ...place });
    // So that both replicas have the board cached.
    for (let times = 0; times < 4; times++) {
      await replicas.call(own.caller, 'workItems.delete', { id: (await create()).id });
    }
    const writes = [
      create(),
      replicas.call(own.organization, 'boards.delete', { id: second.id }),
      replicas.call(own.organization, 'projects.update', { id, defaultBoardId: second.id }),
    ];
    const outcomes = await Promise.all(
      writes.map((write) =>
        write.then(
          () => 'done',
          ({ code }) => code as string,
        ),
      ),
    );
    const { defaultBoardId } = await call(own.organization, 'projects.get', { id });
    const { workItems } = await call(own.organization, 'workItems.list', {});
    const isDeleted = outcomes[1] === 'done';
    expect(outcomes[1]).toBe(isDeleted ? 'done' : 'CONFLICT');
    expect(workItems.length).toBe(outcomes[0] === 'done' ? 1 : 0);
    expect(defaultBoardId).toBe(outcomes[2] === 'done' ? second.id : own.board.id);
    if (isDeleted) expect([outcomes[0], outcomes[2]]).toEqual(['NOT_FOUND', 'VALIDATION_FAILED']);
    else expect([outcomes[0], outcomes[2]]).toContain('done');
  });
});
