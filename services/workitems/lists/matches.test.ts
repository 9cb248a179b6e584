import { searchQuery, wordsOf } from '@worktrack/runtime/text/words';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProject, startWorkItems, stopWorkItems } from '../testing.ts';
import { type Matching, matchesInOrder } from './matches.repository.ts';

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

  const found = async (text: string, maxSorted: number, page: object = {}, like: object = {}) => {
    const where = { place: { boardColumnId: backlog }, projectId: project.id, like };
    const which: Matching = { query: searchQuery(wordsOf(text)), where, exceptId: items[0]?.id };
    const start = { after: undefined, skip: 0, limit: 10, ...page };
    return (await matchesInOrder({ caller }, which, 'column', start, maxSorted)).map(({ title }) => title);
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
    expect(await found('note', maxSorted, {}, { type: 'story' })).toEqual(['note of another type']);
    expect(await found('nothing', maxSorted)).toEqual([]);
  }
  expect(await found('note', NONE)).toEqual(await found('note', ALL));
});
