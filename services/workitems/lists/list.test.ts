import type { RawInput } from '@worktrack/contracts/operation';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { writeCursor } from '@worktrack/runtime/validation/cursor';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TallyModel } from '../boards/tallies.model.ts';
import { foundBy } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { call, failure, startProject, startWorkItemsWith, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItemsWith({ monitorCommands: 'true' });
  project = await startProject();
});
afterAll(stopWorkItems);

const list = (input: RawInput<typeof listWorkItems>, p = project) => call(p.caller, 'workItems.list', input);
const refusal = async (input: RawInput<typeof listWorkItems>, p = project) => {
  const error = await failure(list(input, p));
  expect(error.code).toBe('VALIDATION_FAILED');
  return error;
};
const titles = async (input: RawInput<typeof listWorkItems>, p = project) =>
  (await list(input, p)).workItems.map(({ title }) => title);

describe('a list', () => {
  test('contains the fields of each item that are not long, and the page', async () => {
    const own = await startProject();
    const parent = await own.create('epic');
    const item = await own.create('task', { parentId: parent.id, assignee: 'ada', metadata: { large: 1 } });
    const { workItems, pagination } = await list({ parentId: parent.taskId }, own);
    const { id, taskId, title, type, priority, assignee, boardId, boardColumnId, columnName, parentId, projectId } =
      item;
    const places = { boardId, boardColumnId, columnName, parentId, projectId };
    expect(workItems).toEqual([
      {
        ...{ id, taskId, title, type, priority, assignee, ...places },
        ...{ isAiProcessing: false, lease: null, externalId: null, dueDate: null, estimate: null, labels: [] },
      },
    ]);
    expect(pagination).toEqual({ page: 1, limit: 50, total: 1, totalPages: 1 });
  });

  test('is newest first, page by page, each item once', async () => {
    const own = await startProject();
    const names = Array.from({ length: 7 }, (_, index) => `Item ${index}`);
    for (const title of names) await own.create('task', { title });
    const pages = [1, 2, 3, 4].map((page) => list({ page, limit: 3 }, own));
    const [one, two, three, four] = await Promise.all(pages);
    const seen = [one, two, three].flatMap((page) => page?.workItems.map(({ title }) => title));
    expect(seen).toEqual(names.toReversed());
    expect(four).toEqual({
      workItems: [],
      pagination: { page: 4, limit: 3, total: 7, totalPages: 3 },
      nextCursor: null,
    });
  });

  test('is in the order of the column when there is one', async () => {
    const own = await startProject();
    const [first, second] = [await own.create('task', { title: 'a' }), await own.create('task', { title: 'b' })];
    await own.move(second.id, 'Review');
    await own.move(first.id, 'Review');
    expect(await titles({ boardColumnId: own.column('Review') }, own)).toEqual(['b', 'a']);
  });

  test('is for the session’s project, unless another is named, and never for another organization', async () => {
    const one = await startProject();
    const two = await startProject('Two', one.organization);
    await one.create('task', { title: 'in one' });
    await two.create('task', { title: 'in two' });
    expect(await titles({}, one)).toEqual(['in one']);
    expect(await titles({ projectId: two.project.id }, one)).toEqual(['in two']);
    expect((await call(one.organization, 'workItems.list', {})).pagination.total).toBe(2);
    const stranger = await startProject();
    expect(await titles({}, stranger)).toEqual([]);
  });

  test('accepts a column by its name on its board, in any case, and on all boards of its project if none is named', async () => {
    const own = await startProject();
    await own.create('task', { title: 'here', column: 'In Progress' });
    await own.create('task', { title: 'there', column: 'Review' });
    const epic = await own.create('epic', { title: 'above' });
    await own.create('task', { title: 'below', column: 'In Progress', parentId: epic.id });
    expect(await titles({ boardColumnId: 'in progress' }, own)).toEqual(['here', 'below']);
    expect(await titles({ boardColumnId: 'IN PROGRESS', parentId: epic.taskId }, own)).toEqual(['below']);
    const { sessionProjectId: _, ...roaming } = own.caller;
    const found = await call(roaming, 'workItems.list', { boardColumnId: 'Review' });
    expect(found.workItems.map(({ title }) => title)).toEqual(['there']);

    const unknown = await refusal({ boardColumnId: 'In Progres' }, own);
    for (const { id, name } of own.board.columns) expect(unknown.message).toContain(`${name} (${id})`);
    expect(unknown.message).toContain('did you mean In Progress?');

    const second = await call(own.caller, 'boards.create', { id: own.project.id, name: 'Second' });
    const ambiguous = await refusal({ boardColumnId: 'Review' }, own);
    expect(ambiguous.message).toContain(second.id);
    expect(ambiguous.message).toContain(own.column('Review'));
    expect(await titles({ boardColumnId: 'Review', boardId: own.board.id }, own)).toEqual(['there']);
    expect(await titles({ boardColumnId: 'Review', boardId: second.id }, own)).toEqual([]);
    await startProject('Other', own.organization);
    const nowhere = await failure(call(roaming, 'workItems.list', { boardColumnId: 'Review' }));
    expect(nowhere.message).toMatch(/boardId or projectId.*list_projects/);
  });

  test('refuses a filter that can match nothing, with what it is and which parameter takes it', async () => {
    const own = await startProject();
    const other = await startProject('Other', own.organization);
    const stranger = await startProject();
    const task = await own.create('task');
    await other.create('task');
    const things = {
      projectId: own.project.id,
      boardId: own.board.id,
      boardColumnId: own.column('Done'),
      parentId: task.id,
    };
    const strange = {
      projectId: stranger.project.id,
      boardId: stranger.board.id,
      boardColumnId: stranger.column('Done'),
      parentId: (await stranger.create('task')).id,
    };
    for (const field of ['projectId', 'boardId', 'boardColumnId', 'parentId'] as const) {
      for (const [kind, id] of Object.entries(things)) {
        if (kind === field) {
          expect(await list({ [field]: id }, own)).toMatchObject({ nextCursor: null });
          continue;
        }
        for (const search of [undefined, 'task', '???']) {
          const { message, extra } = await refusal({ [field]: id, search }, own);
          expect(message).toContain(`pass it as ${kind}`);
          expect(extra.details).toMatchObject([{ path: field }]);
        }
      }
      for (const id of [uuidv7(), strange[field]]) {
        expect((await refusal({ [field]: id }, own)).message).toMatch(/there is no .*(GET \/api|list_)/);
      }
    }
    expect((await refusal({ parentId: 'W-E-99999' }, own)).message).toContain('there is no work item W-E-99999');
    // Each exists, and no item is in both.
    for (const filter of [
      { projectId: other.project.id, boardId: own.board.id },
      { projectId: other.project.id, boardColumnId: own.column('Done') },
      { projectId: other.project.id, parentId: task.id },
      { boardId: other.board.id, boardColumnId: own.column('Done') },
      { boardId: other.board.id, parentId: task.id },
    ]) {
      expect((await refusal(filter, own)).message).toMatch(/nothing can match both|of project/);
    }
    expect((await refusal({ boardId: other.board.id }, own)).message).toMatch(/the session's .*add projectId/);
    expect(await titles({ boardId: other.board.id, projectId: other.project.id }, own)).toEqual(['A task']);
  });

  test('for a project with items asks the database for nothing that it did not ask for without the project', async () => {
    const own = await startProject();
    await own.create('task');
    const commandsOf = async (run: () => Promise<unknown>) => {
      const commands: string[] = [];
      mongoose.set('debug', (collection: string, method: string) => {
        // The heartbeat is the process's, and comes when it comes.
        if (collection !== 'transaction_owners') commands.push(`${collection}.${method}`);
      });
      try {
        await run();
      } finally {
        mongoose.set('debug', false);
      }
      return commands.sort();
    };
    const { sessionProjectId: _, ...roaming } = own.caller;
    const all = await commandsOf(() => call(roaming, 'workItems.list', {}));
    expect(all.length).toBeGreaterThan(0);
    expect(await commandsOf(() => list({ projectId: own.project.id }, own))).toEqual(all);
  });

  test('contains what all its filters say', async () => {
    const own = await startProject();
    const epic = await own.create('epic', { title: 'Epic', priority: 'urgent' });
    await own.create('task', { title: 'one', parentId: epic.id, assignee: 'ada', priority: 'high' });
    await own.create('task', { title: 'two', parentId: epic.id, assignee: 'bob', priority: 'high', column: 'Review' });
    await own.create('story', { title: 'three', assignee: 'ada', priority: 'high' });
    expect(await titles({ type: 'task' }, own)).toEqual(['two', 'one']);
    expect(await titles({ priority: 'high' }, own)).toEqual(['three', 'two', 'one']);
    expect(await titles({ assignee: 'ada' }, own)).toEqual(['three', 'one']);
    expect(await titles({ assignee: 'ada', type: 'task', parentId: epic.id }, own)).toEqual(['one']);
    expect(await titles({ boardId: own.board.id, priority: 'urgent' }, own)).toEqual(['Epic']);
    expect(await titles({ boardColumnId: own.column('Review'), search: 't' }, own)).toEqual(['two']);
  });
});

/** All pages, each requested with the cursor of the one before; `between` runs after the first one. */
async function pagesOf(
  input: RawInput<typeof listWorkItems>,
  p: TestProject,
  between: () => Promise<unknown> = async () => undefined,
) {
  const pages: Awaited<ReturnType<typeof list>>[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list({ ...input, ...(cursor && { cursor }) }, p);
    pages.push(page);
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
    if (pages.length === 1) await between();
  }
}
const titlesOf = (pages: Awaited<ReturnType<typeof pagesOf>>) =>
  pages.flatMap(({ workItems }) => workItems.map(({ title }) => title));

describe('a cursor', () => {
  test('leads through the whole list, and says which page it is', async () => {
    const own = await startProject();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const title of names) await own.create('task', { title });
    const pages = await pagesOf({ limit: 2 }, own);
    expect(titlesOf(pages)).toEqual(names.toReversed());
    expect(pages.map(({ pagination }) => pagination)).toEqual(
      [1, 2, 3].map((page) => ({ page, limit: 2, total: 5, totalPages: 3 })),
    );
    expect(titlesOf(await pagesOf({ limit: 2, boardColumnId: own.column('Backlog') }, own))).toEqual(names);
    expect(titlesOf(await pagesOf({ limit: 2, type: 'task', search: 'a' }, own))).toEqual(['a']);
  });

  test('shows once what stays where it is, whatever arrives and moves in the meantime', async () => {
    const own = await startProject();
    const items = [];
    for (const title of ['a', 'b', 'c', 'd', 'e', 'f']) items.push(await own.create('task', { title }));
    const [, , c, d] = items;
    const newest = await pagesOf({ limit: 2 }, own, async () => {
      await own.create('task', { title: 'g' });
      await call(own.caller, 'workItems.delete', { id: c?.id ?? '' });
    });
    expect(titlesOf(newest)).toEqual(['f', 'e', 'd', 'b', 'a']);
    const column = await pagesOf({ limit: 2, boardColumnId: own.column('Backlog') }, own, async () => {
      await own.move(d?.id ?? '', 'Done');
      await own.create('task', { title: 'h' });
    });
    expect(titlesOf(column)).toEqual(['a', 'b', 'e', 'f', 'g', 'h']);
  });

  test('leads through a search in either order', async () => {
    const own = await startProject();
    const names = ['note a', 'note b', 'note c', 'note d', 'note e'];
    for (const title of names) await own.create('task', { title });
    await own.create('task', { title: 'something else' });
    expect(titlesOf(await pagesOf({ limit: 2, search: 'note' }, own))).toEqual(names.toReversed());
    const search = { limit: 2, search: 'note', boardColumnId: own.column('Backlog') };
    expect(titlesOf(await pagesOf(search, own))).toEqual(names);
    expect(await titles({ ...search, page: 2 }, own)).toEqual(['note c', 'note d']);
  });

  /** With the right checksum, which anybody can make. */
  const FORGED = [{}, null, 1, [], [2], [2, {}, {}], [2, uuidv7(), { $gt: '' }], [0, null, null], [2, { $gt: '' }, 1]];
  const identityOf = ({ caller }: TestProject) => [caller.organizationId, [['projectId', caller.sessionProjectId]], ''];

  test('that was not made for this list is refused', async () => {
    const own = await startProject();
    for (let i = 0; i < 3; i++) await own.create('task');
    const { nextCursor } = await list({ limit: 1 }, own);
    const cursor = nextCursor ?? '';
    const others = [
      { limit: 1, cursor: `${cursor}A` },
      { limit: 1, cursor: `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}` },
      { limit: 1, cursor: '' },
      ...['{}', 'null', '[2,"x","x"]'].map((place) => ({ limit: 1, cursor: Buffer.from(place).toString('base64url') })),
      ...FORGED.map((place) => ({ limit: 1, cursor: writeCursor(place, identityOf(own)) })),
      { limit: 1, type: 'task' as const, cursor },
      { limit: 1, search: 'task', cursor },
    ];
    expect(await list({ cursor: writeCursor([2, null, null], identityOf(own)) }, own)).toBeDefined();
    for (const input of others) {
      const refused = await failure(list(input, own));
      expect([refused.code, refused.extra.details?.[0]?.path]).toEqual(['VALIDATION_FAILED', 'cursor']);
    }
    expect((await failure(list({ limit: 1, cursor, page: 2 }, own))).extra.details?.[0]?.path).toBe('page');
    expect((await list({ limit: 2, cursor }, own)).workItems).toHaveLength(2);
  });

  test('is suggested by the refusal of a page that is too deep to count to', async () => {
    expect((await list({ page: 100, limit: 100 })).workItems).toEqual([]);
    const { code, message } = await failure(list({ page: 101, limit: 100 }));
    expect(code).toBe('VALIDATION_FAILED');
    expect(message).toContain('cursor');
  });
});

test('a total is exact for a project, a board, a column and a parent, and for filtered lists up to 10 000', async () => {
  const own = await startProject();
  const parent = await own.create('epic');
  const { id } = await own.create('task', { parentId: parent.id, assignee: 'ada' });
  const pattern = (await ItemModel.findOne({
    organizationId: own.caller.organizationId,
    _id: id,
  }).lean()) as ItemRecord;
  const items = Array.from({ length: 10_000 }, (_, index) => {
    const names = { _id: uuidv7(), taskId: `W-T-${1_000 + index}` };
    return { ...pattern, ...names, foundBy: foundBy(names, null), position: 1_000 + index };
  });
  await ItemModel.insertMany(items, { lean: true });
  const [boardId, boardColumnId] = [own.board.id, own.column('Backlog')];
  // As the writes that create items count them.
  const { organizationId } = own.caller;
  await TallyModel.updateOne({ organizationId, boardId }, { $inc: { [`counts.${boardColumnId}`]: items.length } });
  await ItemModel.updateOne({ organizationId, _id: parent.id }, { $inc: { childCount: items.length } });
  for (const filter of [{ boardId }, {}]) {
    expect((await list({ ...filter, limit: 1 }, own)).pagination).toEqual(pagination(10_002));
  }
  expect((await list({ boardColumnId, limit: 1 }, own)).pagination).toEqual(pagination(10_002));
  expect((await list({ parentId: parent.id, limit: 1 }, own)).pagination).toEqual(pagination(10_001));
  for (const filter of [{ type: 'task' as const }, { assignee: 'ada' }, { boardColumnId, assignee: 'ada' }]) {
    expect((await list({ ...filter, limit: 1 }, own)).pagination).toEqual({
      ...pagination(10_000),
      totalIsLowerBound: true,
    });
  }
  // Likewise of all projects of a caller who names none and is limited.
  const second = await startProject('Second', own.organization);
  await second.create('task');
  const limited = (projects: readonly string[]) =>
    call({ ...own.organization, projects }, 'workItems.list', { limit: 1 });
  expect((await limited([own.project.id])).pagination).toEqual(pagination(10_002));
  expect((await limited([second.project.id])).pagination).toEqual(pagination(1));
  expect((await call(own.organization, 'workItems.list', { limit: 1 })).pagination).toEqual(pagination(10_003));
  const commands = async (run: () => Promise<unknown>, isMeant = ofTallies) => {
    let count = 0;
    const note = ({ command }: mongoose.mongo.CommandStartedEvent) => {
      if (isMeant(command)) count++;
    };
    const client = mongoose.connection.getClient().on('commandStarted', note);
    await run();
    client.off('commandStarted', note);
    return count;
  };
  const both = [own.project.id, second.project.id];
  expect((await limited(both)).pagination).toEqual(pagination(10_003));
  // In one query, however many they are.
  const many = [...both, ...Array.from({ length: 98 }, () => uuidv7())];
  expect(await commands(() => limited(many))).toBe(1);
  // What is far longer than that is not counted for each of its pages.
  const more = items.slice(0, 1_000).map((item, index) => {
    const names = { _id: uuidv7(), taskId: `W-T-${20_000 + index}` };
    return { ...item, ...names, foundBy: foundBy(names, null), position: 20_000 + index };
  });
  const assigned = (cursor?: string) => list({ assignee: 'ada', limit: 1, ...(cursor && { cursor }) }, own);
  const counted = (run: () => Promise<unknown>) => commands(run, isCountOfItems);
  const first = await assigned();
  expect(await counted(() => assigned(first.nextCursor ?? ''))).toBeGreaterThan(0);
  await ItemModel.insertMany(more, { lean: true });
  expect(await counted(() => assigned(first.nextCursor ?? ''))).toBeGreaterThan(0);
  expect(await counted(() => assigned(first.nextCursor ?? ''))).toBe(0);
  expect((await assigned()).pagination).toEqual({ ...pagination(10_000), totalIsLowerBound: true });
});
const ofTallies = ({ find, aggregate }: mongoose.mongo.Document) =>
  [find, aggregate].includes(TallyModel.collection.name);
const isCountOfItems = ({ aggregate, pipeline }: mongoose.mongo.Document) =>
  aggregate === ItemModel.collection.name && pipeline.some((stage: object) => '$group' in stage);
const pagination = (total: number) => ({ page: 1, limit: 1, total, totalPages: total });

describe('the search', () => {
  let own: TestProject;
  const items: Record<string, WorkItem> = {};
  beforeAll(async () => {
    own = await startProject();
    items.login = await own.create('task', {
      title: 'Fix the LOGIN page',
      description: 'The café on Straße 5 cannot log in.',
    });
    items.logout = await own.create('task', {
      title: 'Logout button',
      description: 'snake_case_name and foo.bar 検索ボタンが動かない',
    });
    items.other = await own.create('epic', { title: 'Résumé upload', description: 'Łódź, cœur' });
  });

  test.each([
    ['log', ['login', 'logout']],
    ['LOGI', ['login']],
    ['page login', ['login']],
    ['login button', []],
    ['cafe', ['login']],
    ['CAFÉ', ['login']],
    ['strasse', ['login']],
    ['resume', ['other']],
    ['re\u0301sume\u0301', ['other']],
    ['case', ['logout']],
    ['foo.b', ['logout']],
    ['lodz coeur', ['other']],
    ['ボタン', ['logout']],
    ['動かない', ['logout']],
    ['タン', ['logout']],
    ['タボ', []],
    ['ogin', []],
    ['loginpage', []],
    ['???', []],
    ['   ', ['login', 'logout', 'other']],
    ['the 5', ['login']],
    // Nothing in a query is a pattern or an operator.
    ['.*', []],
    ['$where', []],
  ])('for %j finds %j', async (search, expected) => {
    const found = (await list({ search }, own)).workItems.map(({ id }) => id);
    expect(found).toEqual(expected.map((name) => items[name]?.id).toReversed());
  });

  test('for a task ID, in any case, finds the item', async () => {
    const { taskId = '', id } = items.logout ?? {};
    for (const search of [taskId, taskId.toLowerCase(), ` ${taskId} `]) {
      expect((await list({ search }, own)).workItems.map((item) => item.id)).toEqual([id]);
    }
    expect((await list({ search: id }, own)).workItems).toHaveLength(1);
  });

  test('for a task ID finds its item first, then what contains the parts of it as words', async () => {
    const mine = await startProject();
    const item = await mine.create('task', { title: 'The one' });
    await mine.create('task', { title: `Later than ${item.taskId}` });
    await mine.create('task', { title: `After ${item.taskId}` });
    const search = item.taskId.toLowerCase();
    const expected = ['The one', `After ${item.taskId}`, `Later than ${item.taskId}`];
    const asked = await list({ search }, mine);
    expect(asked.workItems.map(({ title }) => title)).toEqual(expected);
    expect(asked.pagination.total).toBe(3);
    for (const limit of [1, 2]) {
      const pages = await pagesOf({ search, limit }, mine);
      expect(titlesOf(pages)).toEqual(expected);
      expect(pages.every(({ pagination }) => pagination.total === 3)).toBe(true);
      const byPage = await Promise.all([1, 2, 3].map((page) => titles({ search, limit, page }, mine)));
      expect(byPage.flat()).toEqual(expected);
    }
    expect(await titles({ search, type: 'epic' }, mine)).toEqual([]);
    expect(await titles({ search, boardColumnId: mine.column('Done') }, mine)).toEqual([]);
  });

  test('follows the filters, in all projects if none is named', async () => {
    const one = await startProject();
    const two = await startProject('Two', one.organization);
    const epic = await one.create('epic', { title: 'Harbour' });
    await one.create('task', { title: 'Harbour crane', parentId: epic.id, assignee: 'ada' });
    await one.create('task', { title: 'Harbour master', column: 'Review' });
    await two.create('task', { title: 'Harbour lights' });
    const search = 'harb';
    expect(await titles({ search }, one)).toEqual(['Harbour master', 'Harbour crane', 'Harbour']);
    expect(await titles({ search, type: 'task', assignee: 'ada' }, one)).toEqual(['Harbour crane']);
    expect(await titles({ search, parentId: epic.taskId }, one)).toEqual(['Harbour crane']);
    expect(await titles({ search, boardColumnId: one.column('Review') }, one)).toEqual(['Harbour master']);
    const everywhere = await call(one.organization, 'workItems.list', { search });
    expect(everywhere.workItems.map(({ title }) => title)).toEqual([
      'Harbour lights',
      'Harbour master',
      'Harbour crane',
      'Harbour',
    ]);
    expect(everywhere.pagination.total).toBe(4);
  });

  test('follows a change of title and description at once', async () => {
    const item = await own.create('task', { title: 'Wombat' });
    await own.update(item.id, { title: 'Quokka' });
    expect(await titles({ search: 'wombat' }, own)).toEqual([]);
    expect(await titles({ search: 'quok' }, own)).toEqual(['Quokka']);
    await own.update(item.id, { description: 'was a wombat' });
    expect(await titles({ search: 'wombat' }, own)).toEqual(['Quokka']);
  });

  test('knows no other organization', async () => {
    const stranger = await startProject();
    expect(await titles({ search: 'log' }, stranger)).toEqual([]);
    expect(await titles({ search: items.login?.id }, stranger)).toEqual([]);
  });
});
