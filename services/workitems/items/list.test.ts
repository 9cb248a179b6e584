import type { RawInput } from '@worktrack/contracts/operation';
import type { listWorkItems } from '@worktrack/contracts/work-items/list';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const list = (input: RawInput<typeof listWorkItems>, p = project) => call(p.caller, 'workItems.list', input);
const titles = async (input: RawInput<typeof listWorkItems>, p = project) =>
  (await list(input, p)).workItems.map(({ title }) => title);

describe('a list', () => {
  test('holds the eleven fields of each item, and the page', async () => {
    const own = await startProject();
    const parent = await own.create('epic');
    const item = await own.create('task', { parentId: parent.id, assignee: 'ada', metadata: { large: 1 } });
    const { workItems, pagination } = await list({ parentId: parent.taskId }, own);
    const { id, taskId, title, type, priority, assignee, boardId, boardColumnId, columnName, parentId, projectId } =
      item;
    expect(workItems).toEqual([
      { id, taskId, title, type, priority, assignee, boardId, boardColumnId, columnName, parentId, projectId },
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
    expect(four).toEqual({ workItems: [], pagination: { page: 4, limit: 3, total: 7, totalPages: 3 } });
  });

  test('is in the order of the column when there is one', async () => {
    const own = await startProject();
    const [first, second] = [await own.create('task', { title: 'a' }), await own.create('task', { title: 'b' })];
    await own.move(second.id, 'Review');
    await own.move(first.id, 'Review');
    expect(await titles({ boardColumnId: own.column('Review') }, own)).toEqual(['b', 'a']);
  });

  test('is of the session’s project, unless another is named, and never of another organization', async () => {
    const one = await startProject();
    const two = await startProject('Two', one.organization);
    await one.create('task', { title: 'in one' });
    await two.create('task', { title: 'in two' });
    expect(await titles({}, one)).toEqual(['in one']);
    expect(await titles({ projectId: two.project.id }, one)).toEqual(['in two']);
    expect((await call(one.organization, 'workItems.list', {})).pagination.total).toBe(2);
    const stranger = await startProject();
    expect(await titles({ projectId: one.project.id }, stranger)).toEqual([]);
  });

  test('has what all its filters say', async () => {
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
    expect(await titles({ parentId: 'W-E-99999' }, own)).toEqual([]);
  });
});

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
