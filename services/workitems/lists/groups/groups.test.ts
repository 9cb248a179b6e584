import type { RawInput } from '@worktrack/contracts/operation';
import { GROUPINGS, type listProjectCards } from '@worktrack/contracts/work-items/lists/cards';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ItemModel } from '../../items/items.model.ts';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

type Filters = Omit<RawInput<typeof listProjectCards>, 'id'>;

let own: TestProject;
let titles: readonly string[];

/** Of every kind, and what has none of it. */
beforeAll(async () => {
  own = await startProject();
  const { id } = own.project;
  for (const name of ['Bug', 'Ui', 'Gone']) await call(own.caller, 'labels.create', { id, name, colour: '#c00000' });
  const epic = await own.create('epic', { title: 'epic', priority: 'high' });
  const feature = await own.create('feature', { title: 'feature', parentId: epic.id });
  const story = await own.create('story', { title: 'story', parentId: feature.id, labels: ['Bug'] });
  await own.create('task', {
    title: 'deep',
    parentId: story.id,
    labels: ['Bug', 'Ui'],
    assignee: 'Ada',
    column: 'To Do',
  });
  await own.create('epic', { title: 'other epic' });
  const alone = await own.create('task', { title: 'alone', priority: 'low', dueDate: '2020-01-01', labels: ['Gone'] });
  await own.create('task', { title: 'below alone', parentId: alone.id, assignee: 'Grace', column: 'Done' });
  await own.create('idea', { title: 'idea', priority: 'urgent', assignee: 'zoe, the third' });
  const [working, waiting, stalled, ended] = await Promise.all(
    ['working', 'waiting', 'stalled', 'ended'].map((title) => own.create('task', { title })),
  );
  const claim = (ids: string[], agent: string) => call(own.caller, 'workItems.claim', { ids, agent });
  const ids = [working, waiting, stalled, ended].map((item) => item?.id as string);
  for (const each of ids) {
    const { lease } = await claim([each], 'Bot');
    if (each !== waiting?.id) continue;
    const beat = { state: 'awaiting_input', question: 'Why?' } as const;
    await call(own.caller, 'workItems.progress', { workItemId: each, leaseToken: lease?.token ?? '', ...beat });
  }
  const past = new Date(Date.now() - 60_000);
  await ItemModel.updateOne({ _id: stalled?.id }, { $set: { 'lease.stallsAt': past } });
  await ItemModel.updateOne({ _id: ended?.id }, { $set: { 'lease.expiresAt': past } });
  const gone = (await call(own.caller, 'labels.list', { id })).find(({ name }) => name === 'Gone');
  await call(own.caller, 'labels.delete', { id, labelId: gone?.id as string });
  titles = await found({});
});

const cards = (filters: Filters) => call(own.caller, 'projects.cards', { id: own.project.id, limit: 100, ...filters });
const found = async (filters: Filters) => (await cards(filters)).cards.map(({ title }) => title).sort();
const groups = async (groupBy: (typeof GROUPINGS)[number], filters: Filters = {}) =>
  (await call(own.caller, 'projects.groups', { id: own.project.id, groupBy, ...filters })).groups;
const counts = async (...args: Parameters<typeof groups>) =>
  (await groups(...args)).map(({ name, key, count }) => [name ?? key, count]);

const others = (...without: string[]) => titles.filter((title) => !without.includes(title));

describe('a list is narrowed to', () => {
  test.each<[string, Filters, () => string[]]>([
    [
      'nobody’s',
      { assignee: 'none' },
      () => others('deep', 'below alone', 'idea', 'working', 'waiting', 'stalled', 'ended'),
    ],
    [
      'somebody’s',
      { assigneeNot: 'none' },
      () => ['below alone', 'deep', 'ended', 'idea', 'stalled', 'waiting', 'working'],
    ],
    ['nobody’s or Ada’s', { assignee: ['none', 'Ada'], type: 'task' }, () => ['alone', 'deep']],
    ['what is not Ada’s', { assigneeNot: 'Ada' }, () => others('deep')],
    ['what is no task and no epic', { typeNot: 'task,epic' as never }, () => ['feature', 'idea', 'story']],
    ['what is not of medium priority', { priorityNot: 'medium' }, () => ['alone', 'epic', 'idea']],
    ['the unlabelled', { label: 'none' }, () => others('deep', 'story')],
    ['the labelled', { labelNot: 'none' }, () => ['deep', 'story']],
    ['the unlabelled and those with Ui', { label: ['none', 'Ui'] }, () => others('story')],
    ['what has not Ui', { labelNot: 'Ui', label: 'Bug' }, () => ['story']],
    ['an epic', { epic: 'W-E-1' }, () => ['deep', 'epic', 'feature', 'story']],
    ['what is in no epic', { epic: 'none' }, () => others('deep', 'epic', 'feature', 'story', 'other epic')],
    ['what is not in that epic', { epicNot: 'w-e-1' }, () => others('deep', 'epic', 'feature', 'story')],
    ['an epic or none', { epic: ['W-E-1', 'none'] }, () => others('other epic')],
    ['what no agent holds', { leaseState: 'none' }, () => others('working', 'waiting', 'stalled')],
    ['what an agent holds', { leaseStateNot: 'none' }, () => ['stalled', 'waiting', 'working']],
    ['what is held, but not stalled', { leaseState: 'working', leaseStateNot: 'stalled' }, () => ['working']],
    ['stalled or free', { leaseState: ['stalled', 'none'] }, () => others('working', 'waiting')],
    [
      'what is not in a column',
      { boardColumnIdNot: 'Backlog,To Do' },
      () => ['below alone', 'ended', 'stalled', 'waiting', 'working'],
    ],
    ['overdue in a column', { overdue: true, boardColumnId: 'Backlog' }, () => ['alone']],
  ])('%s', async (_name, filters, expected) => {
    const wanted = expected();
    expect(await found(filters)).toEqual(wanted);
    // The same, where items are found by their ids, or by words.
    const { cards: all } = await cards({});
    const ids = all.map(({ id }) => id);
    expect(await found({ ...filters, ids })).toEqual(wanted);
    expect((await found({ ...filters, search: 'alone' })).join()).toBe(
      wanted.filter((title) => /alone/.test(title)).join(),
    );
    const deep = all.find(({ title }) => title === 'deep')?.taskId ?? '';
    expect(await found({ ...filters, search: deep })).toEqual(wanted.filter((title) => title === 'deep'));
    expect((await cards({ ...filters, limit: 1 })).pagination.total).toBe(wanted.length);
  });

  test.each([
    ['epic', { epic: 'W-T-4' }, 'is of the type task'],
    ['epic', { epic: '01990000-0000-7000-8000-000000000000' }, 'there is no epic'],
    ['epicNot', { epicNot: 'W-T-4' }, 'is of the type task'],
    ['epicNot', { epicNot: '01990000-0000-7000-8000-000000000000' }, 'there is no epic'],
    ['labelNot', { labelNot: 'nothing' }, 'there is no label'],
    ['boardColumnIdNot', { boardColumnIdNot: 'Nowhere' }, 'has no column'],
    ['boardColumnIdNot', { boardColumnIdNot: '01990000-0000-7000-8000-000000000000' }, 'there is no board column'],
    ['group', { groupBy: 'epic', group: 'W-T-4' }, 'is of the type task'],
    ['group', { group: 'high' }, 'needs groupBy'],
    ['group', { groupBy: 'agentState', group: 'asleep' }, 'must be one of'],
    ['group', { groupBy: 'priority', group: 'none' }, 'must be one of'],
    ['group', { groupBy: 'column', group: 'Nowhere' }, 'has no column'],
    ['group', { groupBy: 'column', group: '01990000-0000-7000-8000-000000000000' }, 'there is no board column'],
  ])('nothing by a wrong %s: %j', async (path, filters, message) => {
    const refused = await failure(cards(filters as Filters));
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining(message) });
    expect(refused.extra?.details?.[0]?.path).toBe(path);
    expect(refused.message).toMatch(new RegExp(`^${path}:? `));
  });
});

describe('in groups', () => {
  test('cards are counted in the order of what they are grouped by, what has none last', async () => {
    expect(await counts('column')).toEqual([
      ['Backlog', 6],
      ['To Do', 1],
      ['In Progress', 4],
      ['Done', 1],
    ]);
    expect(await counts('priority')).toEqual([
      ['urgent', 1],
      ['high', 1],
      ['medium', 9],
      ['low', 1],
    ]);
    expect(await counts('type')).toEqual([
      ['epic', 2],
      ['feature', 1],
      ['story', 1],
      ['task', 7],
      ['idea', 1],
    ]);
    expect(await counts('assignee')).toEqual([
      ['Ada', 1],
      ['Bot', 4],
      ['Grace', 1],
      ['zoe, the third', 1],
      ['none', 5],
    ]);
    expect(await counts('label')).toEqual([
      ['Bug', 2],
      ['Ui', 1],
      ['none', 10],
    ]);
    expect(await counts('epic')).toEqual([
      ['W-E-1 epic', 4],
      ['W-E-5 other epic', 1],
      ['none', 7],
    ]);
    expect(await counts('agentState')).toEqual([
      ['stalled', 1],
      ['awaiting_input', 1],
      ['working', 1],
      ['none', 9],
    ]);
    expect(await counts('priority', { search: 'alone' })).toEqual([
      ['medium', 1],
      ['low', 1],
    ]);
    expect(await counts('label', { type: 'task', search: 'W-T-4' })).toEqual([
      ['Bug', 1],
      ['Ui', 1],
    ]);
  });

  test.each(GROUPINGS)('by %s, each is listed with as many cards as it counts', async (groupBy) => {
    const all = await groups(groupBy, { typeNot: 'idea' });
    const listed = await Promise.all(all.map(({ key }) => cards({ groupBy, group: key, typeNot: 'idea', limit: 100 })));
    expect(listed.map(({ cards: shown }) => shown.length)).toEqual(all.map(({ count }) => count));
    expect(listed.map(({ pagination }) => pagination.total)).toEqual(all.map(({ count }) => count));
    const seen = listed.flatMap(({ cards: shown }) => shown.map(({ title }) => title));
    expect([...new Set(seen)].sort()).toEqual(others('idea'));
  });

  test('a card names the epic that it is in', async () => {
    const { cards: all } = await cards({});
    const named = all.flatMap(({ title, epic }) => (epic ? [[title, epic.title]] : []));
    expect(Object.fromEntries(named)).toEqual({
      ...{ epic: 'epic', feature: 'epic', story: 'epic', deep: 'epic' },
      'other epic': 'other epic',
    });
  });
});

test.each([
  ['title', (title: string) => title],
  ['-assignee', undefined],
  ['assignee,title', undefined],
])('sorted by %s, a list is read page by page, each card once', async (sort, of) => {
  const whole = (await cards({ sort })).cards.map(({ title }) => title);
  if (of) expect(whole).toEqual(whole.toSorted());
  const paged: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await cards({ sort, limit: 2, ...(cursor && { cursor }) });
    paged.push(...page.cards.map(({ title }) => title));
    cursor = page.nextCursor;
  } while (cursor);
  expect(paged).toEqual(whole);
});
