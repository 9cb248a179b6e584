import { searchQuery, wordsOf } from '@worktrack/runtime/text/words';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { isThere, type Matching, matchesInOrder } from './matches.repository.ts';
import type { Where } from './where.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const NONE = 0;
const ALL = 1_000;

test('a search in a column finds the same in the same order whether its matches are sorted or the column is walked', async () => {
  const { caller, project, board, column, create, move } = await startProject();
  const backlog = column('Backlog');
  const titles = [
    'note a',
    'note b',
    'other',
    'note c',
    '検索ボタンが動かない',
    'note d',
    'a longer notebook of notes',
  ];
  const items = await Promise.all(titles.map((title) => create('task', { title })));
  await create('task', { title: 'note elsewhere', column: 'Review' });
  await create('story', { title: 'note of another type' });
  await move(items[3]?.id ?? '', 'Backlog', { position: 'first' });

  const found = async (text: string, maxSorted: number, page: object = {}, like: Where['like'] = {}) => {
    const where = { place: { boardColumnId: backlog }, projectId: project.id, like, also: [], since: {} };
    const which: Matching = { query: searchQuery(wordsOf(text)), where, exceptId: items[0]?.id };
    const start = { after: undefined, skip: 0, limit: 10, ...page };
    const matches = await matchesInOrder({ caller }, which, 'column', start, maxSorted);
    return matches.map((match) => (isThere(match) ? match.title : 'a deleted one'));
  };
  expect(board.columns.map(({ id }) => id)).toContain(backlog);
  for (const maxSorted of [NONE, ALL]) {
    const all = await found('note', maxSorted);
    expect(all[0]).toBe('note c');
    expect(all.toSorted()).toEqual(
      ['note b', 'note c', 'note d', 'a longer notebook of notes', 'note of another type'].toSorted(),
    );
    expect(await found('note', maxSorted, { skip: 1, limit: 2 })).toEqual(all.slice(1, 3));
    expect(await found('notebook longer', maxSorted)).toEqual(['a longer notebook of notes']);
    expect(await found('ボタン', maxSorted)).toEqual(['検索ボタンが動かない']);
    expect(await found('note', maxSorted, {}, { type: ['story'] })).toEqual(['note of another type']);
    expect(await found('nothing', maxSorted)).toEqual([]);
  }
  expect(await found('note', NONE)).toEqual(await found('note', ALL));
});

/** The titles on all pages of a search, and on how many there were. */
async function searchThrough({ caller, project }: TestProject, search: string, limit: number) {
  const titles: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await call(caller, 'workItems.list', { projectId: project.id, search, limit, cursor });
    titles.push(...page.workItems.map(({ title }) => title));
    if (page.nextCursor === null) return { titles, pages };
    cursor = page.nextCursor;
  }
}

test.each([1, 2, 4])(
  'a search by cursor finds items made in the same milliseconds once each, %i to a page',
  async (limit) => {
    // Whether a page ends within a millisecond is a matter of chance.
    for (let round = 0; round < 6; round++) {
      const project = await startProject();
      const made = Array.from({ length: 9 }, (_, index) => `word ${index}`);
      await Promise.all(made.map((title) => project.create('task', { title })));
      const { titles } = await searchThrough(project, 'word', limit);
      expect(titles.toSorted()).toEqual(made);
    }
  },
);

test('a page of matches whose items were deleted meanwhile is not the last one', async () => {
  const project = await startProject();
  for (let index = 0; index < 7; index++) await project.create('task', { title: `word ${index}` });
  // As a query finds them that reads the entries before the deletion, and the items after it.
  const { organizationId } = project.caller;
  for (const title of ['word 5', 'word 4', 'word 3']) await ItemModel.deleteOne({ organizationId, title });
  expect(await searchThrough(project, 'word', 2)).toEqual({
    titles: ['word 6', 'word 2', 'word 1', 'word 0'],
    pages: 4,
  });
});
