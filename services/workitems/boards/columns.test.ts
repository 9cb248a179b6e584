import type { OperationError } from '@worktrack/contracts/errors';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  call,
  failure,
  startProject,
  startReplicas,
  startWorkItemsWith,
  stopWorkItems,
  type TestProject,
} from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItemsWith({ monitorCommands: 'true' });
  project = await startProject();
});
afterAll(stopWorkItems);

const session = { model: 'gpt-4o', totalTokens: 100 };

/** Each parameter that names a column, for each operation: where the item is afterwards. */
const OPERATIONS = {
  'create, boardColumnId': async (name: string) =>
    call(project.caller, 'workItems.create', {
      ...{ title: 'New', type: 'task', boardId: project.board.id },
      boardColumnId: name,
    }),
  'update, boardColumnId': async (name: string) =>
    project.update((await project.create('task')).id, { boardColumnId: name }),
  'move, boardColumnId': async (name: string) => {
    const { id } = await project.create('task');
    return (await call(project.caller, 'workItems.move', { workItemId: id, boardColumnId: name })).workItem;
  },
  'batchMove, boardColumnId': async (name: string) => {
    const { id } = await project.create('task');
    await call(project.caller, 'workItems.batchMove', { workItemIds: [id], boardColumnId: name });
    return project.get(id);
  },
  'release, boardColumnId': async (name: string) => {
    const { id } = await project.create('task');
    const { lease } = await call(project.caller, 'workItems.claim', { ids: [id], agent: 'one' });
    const released = { workItemId: id, leaseToken: lease?.token ?? '', boardColumnId: name };
    return (await call(project.caller, 'workItems.release', released)).workItem;
  },
  'completeAiTask, reviewColumnId': async (name: string) => {
    const { id } = await project.create('task');
    await call(project.caller, 'workItems.completeAiTask', { workItemId: id, reviewColumnId: name, ...session });
    return project.get(id);
  },
  'completeValidation, toDocumentColumnId': async (name: string) => {
    const { id } = await project.create('task');
    await call(project.caller, 'workItems.completeValidation', {
      workItemId: id,
      toDocumentColumnId: name,
      ...session,
    });
    return project.get(id);
  },
  'completeValidation, validatingColumnId': async (name: string) => {
    const { id } = await project.create('task');
    await call(project.caller, 'workItems.completeValidation', {
      workItemId: id,
      validatingColumnId: name,
      ...session,
    });
    return project.get(id);
  },
};

test('a name is found in the capitals of its language, and however its words are joined', async () => {
  const own = await startProject();
  const names = ['Yapılacak', 'Devam Ediyor', 'İnceleme', 'Groß', 'Fertig'];
  const roles = ['todo', 'in_progress', 'review', 'testing', 'done'] as const;
  const columns = names.map((name, index) => ({ name, role: roles[index] }));
  const board = await call(own.caller, 'boards.create', { id: own.project.id, name: 'Own', columns });
  const place = { boardId: board.id, boardColumnId: 'Yapılacak' };
  const { id } = await call(own.caller, 'workItems.create', { title: 'Moved', type: 'task', ...place });
  for (const [meant, ...written] of [
    ['Yapılacak', 'YAPILACAK', 'yapilacak'],
    ['Devam Ediyor', 'DEVAM EDİYOR', 'devam_ediyor'],
    ['İnceleme', 'inceleme', 'INCELEME', 'İNCELEME', 'İnceleme'.normalize('NFD')],
    ['Groß', 'GROSS'],
    ['Devam Ediyor', 'in_progress', 'IN-PROGRESS'],
  ]) {
    for (const boardColumnId of written) {
      const { toColumn } = await call(own.caller, 'workItems.move', { workItemId: id, boardColumnId });
      expect([boardColumnId, toColumn]).toEqual([boardColumnId, meant]);
      const { workItems } = await call(own.caller, 'workItems.list', { boardId: board.id, boardColumnId });
      expect(workItems.map((item) => item.id)).toEqual([id]);
    }
  }
});

describe('a column is named by its UUID or its name on the board, in any case', () => {
  test.each(Object.entries(OPERATIONS))('%s', async (_, place) => {
    const id = project.column('Review');
    for (const name of ['Review', 'REVIEW', ' review ', id, id.toUpperCase()]) {
      expect(await place(name)).toMatchObject({ boardColumnId: id, columnName: 'Review' });
    }
    const { code, message } = await failure(place('Reviewed'));
    expect(code).toBe('VALIDATION_FAILED');
    expect(message).toContain(`Review (${id})`);
  });

  test('and one that matches nothing is refused with all columns of the board', async () => {
    const { id } = await project.create('task');
    const stranger = await startProject();
    for (const boardColumnId of ['Dne', 'Nothing of the kind', stranger.column('Done'), project.board.id]) {
      const { message, extra } = await failure(
        call(project.caller, 'workItems.move', { workItemId: id, boardColumnId }),
      );
      for (const column of project.board.columns) expect(message).toContain(`${column.name} (${column.id})`);
      expect(extra.details).toMatchObject([{ path: 'boardColumnId' }]);
    }
    expect(await project.get(id)).toMatchObject({ columnName: 'Backlog', version: 1 });
  });

  test('and a write that is refused for it reads the item once, though the board was remembered', async () => {
    const { id } = await project.create('task');
    const reads: string[] = [];
    const note = ({ commandName, command }: mongo.CommandStartedEvent) => reads.push(command[commandName]);
    const client = mongoose.connection.getClient().on('commandStarted', note);
    await failure(call(project.caller, 'workItems.move', { workItemId: id, boardColumnId: 'Nowhere' }));
    client.off('commandStarted', note);
    expect(reads.filter((collection) => collection === 'work_items')).toHaveLength(1);
  });

  test('and case distinguishes columns that differ in nothing else', async () => {
    const { id } = project.project;
    const columns = [{ name: 'doing' }, { name: 'Doing' }, { name: 'Todo' }, { name: 'Done' }];
    const board = await call(project.caller, 'boards.create', { id, name: 'Case', columns });
    const create = (boardColumnId: string) =>
      call(project.caller, 'workItems.create', { title: 'x', type: 'task', boardId: board.id, boardColumnId });
    expect((await create('Doing')).boardColumnId).toBe(board.columns[1]?.id);
    expect((await create('doing')).boardColumnId).toBe(board.columns[0]?.id);
    expect((await failure(create('DOING'))).message).toContain(`doing (${board.columns[0]?.id})`);
  });
});

test.each(['batchMove', 'move'] as const)(
  'an item in a column that another replica has added since can be moved: %s',
  async (operation) => {
    const { caller, board, create, get } = await startProject();
    const another = await startReplicas(1);
    try {
      // From here on this replica remembers the board.
      const { id } = await create('task');
      const columns = [...board.columns.map(({ id, name }) => ({ id, name })), { name: 'Elsewhere' }];
      await another.call(caller, 'boards.update', { id: board.id, columns });
      await another.call(caller, 'workItems.move', { workItemId: id, boardColumnId: 'Elsewhere' });
      const to = { boardColumnId: 'To Do' };
      if (operation === 'move') await call(caller, 'workItems.move', { workItemId: id, ...to });
      else await call(caller, 'workItems.batchMove', { workItemIds: [id], ...to });
      expect(await get(id)).toMatchObject({ columnName: 'To Do' });
    } finally {
      await another.stop();
    }
  },
);

test('an item is never put into a column that is removed meanwhile, however much else its move looks at', async () => {
  const ROUNDS = 60;
  const { caller, board, create, get } = await startProject('Columns that come and go');
  const { id: parentId } = await create('story');
  const tasks = await Promise.all(Array.from({ length: 3 }, () => create('task', { parentId })));
  // What these do makes the process read the board again soon after each change of it.
  const others = await Promise.all(Array.from({ length: 8 }, () => create('task')));
  const lasting = board.columns.map(({ id, name }) => ({ id, name }));
  const change = (columns: readonly { readonly id?: string; readonly name: string }[]) =>
    call(caller, 'boards.update', { id: board.id, columns: [...columns] });
  const expectRefused = (error: OperationError) =>
    expect(['VALIDATION_FAILED', 'CONFLICT', 'NOT_FOUND']).toContain(error.code);
  const add = async () => (await change([...lasting, { name: 'Extra' }])).columns.at(-1)?.id ?? '';
  let extra = await add();
  let rounds = 0;

  const comeAndGo = async () => {
    while (rounds < ROUNDS) {
      try {
        await change(lasting);
        extra = await add();
        rounds++;
      } catch (error) {
        // It holds an item at the moment.
        expectRefused(error as OperationError);
      }
    }
  };
  const goThereAndBack = async (workItemId: string, there = () => extra) => {
    while (rounds < ROUNDS) {
      for (const boardColumnId of [there(), 'Backlog']) {
        await call(caller, 'workItems.move', { workItemId, boardColumnId }).catch(expectRefused);
      }
    }
  };
  await Promise.all([
    comeAndGo(),
    ...tasks.map(({ id }) => goThereAndBack(id)),
    ...others.map(({ id }) => goThereAndBack(id, () => 'To Do')),
  ]);
  const names = ['Extra', ...lasting.map(({ name }) => name)];
  for (const { id } of tasks) expect(names).toContain((await get(id)).columnName);
});
