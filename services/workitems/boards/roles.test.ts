import { OperationError } from '@worktrack/contracts/errors';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followChangedColumns } from '../dependencies/follow-columns.ts';
import { ItemModel } from '../items/items.model.ts';
import { claimableMigration } from '../migrations/claimable.repository.ts';
import { talliesMigration } from '../migrations/tallies.repository.ts';
import {
  call,
  failure,
  startProject,
  startWorkItems,
  stopWorkItems,
  storeCopies,
  type TestProject,
} from '../testing.ts';
import { BoardModel } from './boards.model.ts';
import { TallyModel } from './tallies.model.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const MODEL = { model: 'gpt-4o', totalTokens: 10 };

async function boardOf(own: TestProject, ...names: string[]) {
  const columns = names.map((name) => ({ name }));
  return call(own.caller, 'boards.create', { id: own.project.id, name: names.join(' '), columns });
}

describe('a whole task, from its creation to the end, on a board of', () => {
  test.each([
    ['English', 'Todo', 'Doing', 'In Review', 'QA', 'Shipped'],
    ['German', 'Zu erledigen', 'In Arbeit', 'Überprüfung', 'Im Test', 'Erledigt'],
    ['Turkish', 'Yapılacak', 'Devam Ediyor', 'İnceleme', 'Test', 'Tamamlandı'],
    ['Japanese', '未着手', '進行中', 'レビュー', 'テスト', '完了'],
  ])('%s columns', async (_, todo, doing, review, testing, done) => {
    const own = await startProject();
    const board = await boardOf(own, todo, doing, review, testing, done);
    const place = { boardId: board.id, boardColumnId: todo };
    const epic = await call(own.caller, 'workItems.create', { title: 'All', type: 'epic', ...place });
    const base = await call(own.caller, 'workItems.create', {
      title: 'Base',
      type: 'task',
      parentId: epic.id,
      ...place,
    });
    const next = { title: 'Next', parentId: epic.id, dependsOn: [base.id], ...place };
    const { id: nextId } = await call(own.caller, 'workItems.create', { ...next, type: 'task' });

    const { workItem, lease } = await call(own.caller, 'workItems.claim', { agent: 'one' });
    expect(workItem).toMatchObject({ id: base.id, columnName: doing, isAiProcessing: true });
    expect((await own.get(epic.id)).columnName).toBe(doing);
    const none = await call(own.caller, 'workItems.claim', { agent: 'two' });
    expect(none.reason).toContain(`${base.taskId} (${doing}, held by one`);
    const finished = { workItemId: base.id, leaseToken: lease?.token, ...MODEL };
    expect(await call(own.caller, 'workItems.completeAiTask', finished)).toMatchObject({ movedTo: review });
    const second = await call(own.caller, 'workItems.claim', { agent: 'two' });
    expect(second.workItem?.id).toBe(nextId);

    const failed = { workItemId: base.id, result: 'fail', summary: 'No' } as const;
    expect(await call(own.caller, 'workItems.completeReview', failed)).toMatchObject({ movedTo: doing });
    const again = await call(own.caller, 'workItems.claim', { agent: 'three' });
    expect(again).toMatchObject({ workItem: { id: base.id }, rework: { from: 'review', summary: 'No' } });
    await call(own.caller, 'workItems.completeAiTask', { ...finished, leaseToken: again.lease?.token });
    const passed = { workItemId: base.id, result: 'pass', summary: 'Yes' } as const;
    expect(await call(own.caller, 'workItems.completeReview', passed)).toMatchObject({ movedTo: testing });
    const valid = { workItemId: base.id, testResults: { passed: 1, failed: 0 }, ...MODEL };
    expect(await call(own.caller, 'workItems.completeValidation', valid)).toMatchObject({ movedTo: done });
    // What a script knows of a standard board holds on this one.
    const pending = await call(own.caller, 'workItems.move', {
      workItemId: nextId,
      boardColumnId: 'To Do',
      takeOver: true,
    });
    expect(pending.toColumn).toBe(todo);
    await call(own.caller, 'workItems.move', { workItemId: nextId, boardColumnId: done });
    expect((await own.get(epic.id)).columnName).toBe(done);
  });
});

test('a board that lacks a step skips it', async () => {
  const own = await startProject();
  const board = await boardOf(own, 'Todo', 'Doing', 'Done');
  const place = { boardId: board.id, boardColumnId: 'Todo' };
  const { id } = await call(own.caller, 'workItems.create', { title: 'Short', type: 'task', ...place });
  const { lease } = await call(own.caller, 'workItems.claim', { agent: 'one', ids: [id] });
  const done = { workItemId: id, leaseToken: lease?.token, ...MODEL };
  expect(await call(own.caller, 'workItems.completeAiTask', done)).toMatchObject({ movedTo: 'Done' });
});

test('a claim where no board has a column for work in progress says which role is missing', async () => {
  const own = await startProject();
  const { id, columns } = await call(own.caller, 'boards.get', { id: own.board.id });
  const doing = columns.map(({ id, name, role }) => ({ id, name, role: role === 'in_progress' ? null : role }));
  await call(own.caller, 'boards.update', { id, columns: doing });
  const { message } = await failure(call(own.caller, 'workItems.claim', { agent: 'one' }));
  expect(message).toBe('No board of the project has a column of the role in_progress; give it one to claim tasks.');
});

test('a column of another role has only those of its items written for which that means something else', async () => {
  const own = await startProject();
  const { id, columns } = await call(own.caller, 'boards.get', { id: own.board.id });
  const [base, unbuiltUpon] = [
    await own.create('task', { column: 'To Document' }),
    await own.create('task', { column: 'To Document' }),
  ];
  const dependent = await own.create('task', { metadata: { dependsOn: [base.id] } });
  const ids = [base.id, unbuiltUpon.id, dependent.id];
  const revisions = () =>
    Promise.all(
      ids.map(async (_id) => (await ItemModel.findOne({ organizationId: own.caller.organizationId, _id }))?.revision),
    );
  const [before, still, waiting = 0] = await revisions();
  const parked = columns.map(({ id, name, role }) => ({ id, name, role: role === 'to_document' ? null : role }));
  await call(own.caller, 'boards.update', { id, columns: parked });
  expect(await revisions()).toEqual([before, still, waiting + 1]);
});

test('other roles for a column of more items than one transaction should write are refused, with what to do', async () => {
  const own = await startProject();
  const { organizationId } = own.caller;
  await Promise.all(Array.from({ length: 3 }, () => own.create('task')));
  const before = await BoardModel.findOne({ organizationId, _id: own.board.id }).orFail().lean();
  const columns = before.columns.map((column) => ({ ...column, role: column.role === 'backlog' ? null : column.role }));
  const change = (maxWrites: number) =>
    commitAlone((transaction) => {
      const scope = {
        caller: own.caller,
        fail: (...why: ConstructorParameters<typeof OperationError>) => new OperationError(...why),
      };
      return followChangedColumns({ ...scope, ...transaction }, [{ before, after: { ...before, columns } }], maxWrites);
    });
  const { code, message } = await failure(change(2));
  expect([code, message]).toEqual(['CONFLICT', expect.stringContaining('in "Backlog", "To Do" would')]);
  const claimable = { organizationId, claimOrder: mongoose.trusted({ $ne: null }) };
  expect(await ItemModel.countDocuments(claimable)).toBe(3);
  await change(3);
  expect(await ItemModel.countDocuments(claimable)).toBe(0);
});

test('what depends on the items of a full column is looked for with no query that names all of them', async () => {
  const own = await startProject();
  const { id } = await own.create('task', { column: 'Done' });
  const dependent = await own.create('task', { dependsOn: [id] });
  await storeCopies(id, 500);
  const named: number[] = [];
  const note = ({ command }: mongo.CommandStartedEvent) => {
    const { dependsOn } = command.filter ?? command.pipeline?.[0]?.$match ?? {};
    if (dependsOn?.$in) named.push(dependsOn.$in.length);
  };
  const client = mongoose.connection.getClient().on('commandStarted', note);
  const columns = own.board.columns.map(({ id, name, role }) => ({ id, name, role: role === 'done' ? null : role }));
  await call(own.caller, 'boards.update', { id: own.board.id, columns });
  client.off('commandStarted', note);
  expect(named).toEqual([1_000, 2]);
  const { waitsFor } = await ItemModel.findOne({
    organizationId: own.caller.organizationId,
    _id: dependent.id,
  }).orFail();
  expect(waitsFor).toEqual([id]);
});

test('a creation where no column is for what is to be done names each role that would do', async () => {
  const own = await startProject();
  const { id, columns } = await call(own.caller, 'boards.get', { id: own.board.id });
  const begun = columns.filter(({ role }) => role !== 'backlog' && role !== 'todo');
  await call(own.caller, 'boards.update', { id, columns: begun.map(({ id, name }) => ({ id, name })) });
  const { message } = await failure(call(own.caller, 'workItems.createTask', { title: 'New' }));
  expect(message).toContain('has no column of the role backlog or todo;');
});

test('several columns may share a role: claims go from left to right, and the first is the destination', async () => {
  const own = await startProject();
  const board = await boardOf(own, 'Ideas', 'Ready', 'Next', 'Open', 'Doing', 'WIP', 'Done');
  const create = async (boardColumnId: string) =>
    (
      await call(own.caller, 'workItems.create', {
        title: boardColumnId,
        type: 'task',
        boardId: board.id,
        boardColumnId,
      })
    ).id;
  const inOrder: string[] = [];
  for (const column of ['Open', 'Next', 'Ready', 'Ideas']) inOrder.unshift(await create(column));
  const claimed: (string | undefined)[] = [];
  for (const agent of inOrder) claimed.push((await call(own.caller, 'workItems.claim', { agent })).workItem?.id);
  expect(claimed).toEqual(inOrder);
  expect((await own.get(inOrder[0] as string)).columnName).toBe('Doing');
  // Within the role nobody begins or ends anything.
  const moved = await call(own.caller, 'workItems.move', { workItemId: inOrder[0] as string, boardColumnId: 'WIP' });
  expect(moved.workItem.lease).not.toBeNull();
});

test('a board of 0.1 gets the roles that the names of its columns say, and its items what follows from it', async () => {
  const own = await startProject();
  const board = await boardOf(own, 'Backlog', 'Doing', 'Blocked', 'QA', 'Done');
  const { organizationId } = own.caller;
  const create = async (boardColumnId: string) =>
    (
      await call(own.caller, 'workItems.create', {
        ...{ title: boardColumnId, type: 'task', boardId: board.id, boardColumnId },
      })
    ).id;
  const [tested, doing] = [await create('QA'), await create('Doing')];
  const [ready, waiting] = [await create('Backlog'), await create('Backlog')];
  const columns = board.columns.map(({ id, name }) => ({ id, name }));
  const older = { $set: { columns }, $unset: { columnsVersion: '' } };
  await BoardModel.collection.updateOne({ _id: board.id as never }, older as never);
  await TallyModel.deleteMany({ organizationId, boardId: board.id });
  const $unset = { treeVersion: 1, childCount: 1, dependsOn: 1, waitsFor: 1, claimOrder: 1, claimableFrom: 1 };
  await ItemModel.updateMany({ organizationId, boardId: board.id }, { $unset });
  await ItemModel.updateOne({ organizationId, _id: ready }, { $set: { 'metadata.dependsOn': [tested] } });
  await ItemModel.updateOne({ organizationId, _id: waiting }, { $set: { 'metadata.dependsOn': [doing] } });

  for (const { batch } of [talliesMigration, claimableMigration]) {
    for (let after: string | undefined = ''; after !== undefined; ) after = await batch(after);
  }
  const upgraded = await call(own.caller, 'boards.get', { id: board.id });
  expect(upgraded.columns.map(({ role }) => role)).toEqual(['backlog', 'in_progress', null, 'testing', 'done']);
  const [first, second] = [1, 2].map(() => call(own.caller, 'workItems.claim', { agent: 'one' }));
  const ids = [(await first)?.workItem?.id, (await second)?.workItem?.id];
  expect(ids.toSorted()).toEqual([ready, doing].toSorted());
  expect((await call(own.caller, 'workItems.claim', { agent: 'one' })).claimed).toBe(false);
});
