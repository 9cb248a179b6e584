import type { RawInput } from '@worktrack/contracts/operation';
import { listWorkItems as operation } from '@worktrack/contracts/work-items/lists/list';
import { PRIORITIES, type Priority } from '@worktrack/contracts/work-items/plain-fields';
import { writeCursor } from '@worktrack/runtime/validation/cursor';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TallyModel } from '../../boards/tallies.model.ts';
import { foundBy } from '../../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../../items/items.model.ts';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../../testing.ts';

type Filter = RawInput<typeof operation>;
let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const list = (input: Filter, p = project) => call(p.caller, 'workItems.list', input);
const titles = async (input: Filter, p = project) => (await list(input, p)).workItems.map(({ title }) => title);
async function allTitles(input: Filter, p: TestProject): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list({ ...input, ...(cursor !== undefined && { cursor }) }, p);
    found.push(...page.workItems.map(({ title }) => title));
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

const RANK: Readonly<Record<Priority, number>> = { urgent: 0, high: 1, medium: 2, low: 3 };

describe('a sorted list', () => {
  let own: TestProject;
  const made: { title: string; priority: Priority; updated: number }[] = [];
  beforeAll(async () => {
    own = await startProject();
    for (let index = 0; index < 12; index++) {
      const priority = PRIORITIES[(index * 7) % 4] as Priority;
      const { id } = await own.create('task', { title: `${index} word`, priority });
      // Several of one moment, older and newer than others.
      const updated = 1_700_000_000_000 + ((index * 5) % 4);
      await ItemModel.updateOne(
        { organizationId: own.caller.organizationId, _id: id },
        { updatedAt: new Date(updated) },
        { timestamps: false },
      );
      made.push({ title: `${index} word`, priority, updated });
    }
  });
  type Row = (typeof made)[number];
  const by = (...orders: ((a: Row, b: Row) => number)[]) =>
    made
      .toReversed()
      .toSorted((a, b) => orders.map((order) => order(a, b)).find((order) => order !== 0) ?? 0)
      .map(({ title }) => title);
  const priority = (a: Row, b: Row) => RANK[a.priority] - RANK[b.priority];
  const updated = (a: Row, b: Row) => a.updated - b.updated;
  const created = (a: Row, b: Row) => made.indexOf(a) - made.indexOf(b);
  const reversed = (order: (a: Row, b: Row) => number) => (a: Row, b: Row) => order(b, a);
  const CASES: [string, () => string[]][] = [
    ['priority', () => by(priority)],
    ['-priority', () => by(reversed(priority))],
    ['updatedAt', () => by(updated)],
    ['-updatedAt', () => by(reversed(updated))],
    ['createdAt', () => by(created)],
    ['-createdAt', () => by(reversed(created))],
    ['priority,-updatedAt', () => by(priority, reversed(updated))],
    ['-updatedAt, priority, createdAt', () => by(reversed(updated), priority, created)],
  ];

  test.each(CASES)('%s: in one page and in pages of any size, also of a search', async (sort, expected) => {
    for (const search of [undefined, 'word']) {
      const asked = { sort, ...(search && { search }) };
      expect(await titles(asked, own)).toEqual(expected());
      for (const limit of [1, 5]) expect(await allTitles({ ...asked, limit }, own)).toEqual(expected());
      expect(await titles({ ...asked, limit: 5, page: 2 }, own)).toEqual(expected().slice(5, 10));
    }
    expect(await titles({ sort, boardColumnId: own.column('Backlog') }, own)).toEqual(expected());
  });

  test('a search for an ID begins with its item, then comes the sort', async () => {
    const mine = await startProject();
    const named = await mine.create('task', { title: 'The one', priority: 'low' });
    await mine.create('task', { title: `Before ${named.taskId}`, priority: 'high' });
    await mine.create('task', { title: `After ${named.taskId}`, priority: 'medium' });
    const expected = ['The one', `Before ${named.taskId}`, `After ${named.taskId}`];
    expect(await titles({ search: named.taskId, sort: 'priority' }, mine)).toEqual(expected);
    expect(await allTitles({ search: named.taskId, sort: 'priority', limit: 1 }, mine)).toEqual(expected);
  });

  test.each(['colour', 'priority,priority', 'priority,-priority', '', 'priority,,updatedAt', '--priority'])(
    'sort=%s is refused and names what there is',
    (sort) => {
      const { error } = operation.input.safeParse({ sort });
      expect(error?.issues[0]?.message).toContain('priority, createdAt, updatedAt');
    },
  );

  test('its cursor is for this sort alone', async () => {
    const { nextCursor } = await list({ sort: 'priority', limit: 2 }, own);
    for (const sort of ['-updatedAt', undefined]) {
      const asked = list({ sort, limit: 2, cursor: nextCursor ?? '' }, own);
      expect(await failure(asked)).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
    const which = [
      own.caller.organizationId,
      Object.entries({ projectId: own.project.id, sort: 'priority' }).sort(),
      '',
    ];
    for (const value of [['urgent'], [1, 2], 1, own.project.id, null, {}]) {
      const cursor = writeCursor([2, own.project.id, value], which);
      expect(await failure(list({ sort: 'priority', cursor }, own))).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });
});

test('of more items than can be sorted, an index gives the order; where there is none, the error says what to do', async () => {
  const own = await startProject();
  const { id } = await own.create('task', { title: 'pattern' });
  const { organizationId } = own.caller;
  const pattern = (await ItemModel.findOne({ organizationId, _id: id }).lean()) as ItemRecord;
  const count = 10_010;
  const items = Array.from({ length: count }, (_, index): ItemRecord => {
    const names = { _id: pattern._id.replace(/.{8}$/, index.toString(16).padStart(8, '0')), taskId: `Q-T-${index}` };
    return {
      ...{ ...pattern, ...names, foundBy: foundBy(names, null), title: String(index) },
      priority: PRIORITIES[index % 4] as Priority,
      position: 1_000 + index,
      updatedAt: new Date(1_700_000_000_000 + ((index * 7919) % count)),
    };
  });
  await ItemModel.insertMany(items, { lean: true, timestamps: false } as object);
  const [boardId, boardColumnId] = [own.board.id, own.column('Backlog')];
  await TallyModel.updateOne({ organizationId, boardId }, { $inc: { [`counts.${boardColumnId}`]: count } });

  const latest = items.toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).map(({ title }) => title);
  const pageOne = await list({ sort: '-updatedAt', limit: 3 }, own);
  expect(pageOne.workItems.map(({ title }) => title)).toEqual(['pattern', ...latest.slice(0, 2)]);
  const pageTwo = await list({ sort: '-updatedAt', limit: 3, cursor: pageOne.nextCursor ?? '' }, own);
  expect(pageTwo.workItems.map(({ title }) => title)).toEqual(latest.slice(2, 5));

  const urgent = items.filter((item) => item.priority === 'urgent').map(({ title }) => title);
  const high = items.filter((item) => item.priority === 'high').map(({ title }) => title);
  const firstUrgent = await list({ sort: 'priority', limit: 2 }, own);
  expect(firstUrgent.workItems.map(({ title }) => title)).toEqual(urgent.toReversed().slice(0, 2));
  // Across the end of one priority.
  const skipped = await titles({ sort: 'priority', limit: 100, page: 26 }, own);
  const expected = [...urgent.toReversed(), ...high.toReversed()].slice(2_500, 2_600);
  expect(skipped).toEqual(expected);

  const refused = await failure(list({ sort: 'priority,-updatedAt' }, own));
  expect(refused.code).toBe('VALIDATION_FAILED');
  expect(refused.message).toMatch(/narrow the list/);
  expect((await list({ sort: 'priority,-updatedAt', priority: 'high', limit: 1 }, own)).workItems).toHaveLength(1);
});

describe('a filter', () => {
  test('takes several values, as a list, repeated or with commas', async () => {
    const own = await startProject();
    await own.create('epic', { title: 'epic' });
    await own.create('idea', { title: 'idea' });
    await own.create('task', { title: 'high', priority: 'high', assignee: 'ada' });
    await own.create('task', { title: 'low', priority: 'low', assignee: 'Hopper, Grace', column: 'To Do' });
    await own.create('task', { title: 'done', priority: 'urgent', column: 'Done' });
    expect(await titles({ type: ['epic', 'idea'] }, own)).toEqual(['idea', 'epic']);
    expect(await titles({ type: 'epic,idea' as never }, own)).toEqual(['idea', 'epic']);
    expect(await titles({ type: 'task', priority: ['low', 'high'] }, own)).toEqual(['low', 'high']);
    expect(await titles({ assignee: 'ada,bob' }, own)).toEqual(['high']);
    expect(await titles({ assignee: ['Hopper, Grace', 'ada'] }, own)).toEqual(['low', 'high']);
    expect(await titles({ boardColumnId: ['To Do', 'Done'] }, own)).toEqual(['done', 'low']);
    expect(await titles({ boardColumnId: 'to do,done', type: 'task', search: 'd' }, own)).toEqual(['done']);
    expect((await list({ boardColumnId: ['To Do', 'Done'] }, own)).pagination.total).toBe(2);
    expect(operation.input.safeParse({ type: ['epic', 'colour'] }).success).toBe(false);
    const elsewhere = await startProject('Elsewhere', own.organization);
    const columns = [own.column('Done'), elsewhere.column('Done')];
    expect(await failure(call(own.organization, 'workItems.list', { boardColumnId: columns }))).toMatchObject({
      message: expect.stringContaining('several projects'),
    });
  });

  test('by time leaves out what is older', async () => {
    const own = await startProject();
    const old = await own.create('task', { title: 'old' });
    const between = await own.create('task', { title: 'between' });
    const young = await own.create('task', { title: 'young' });
    const { createdAt } = between;
    expect((await titles({ createdAfter: createdAt }, own)).includes('old')).toBe(false);
    expect(await titles({ createdAfter: createdAt, search: 'young' }, own)).toEqual(
      young.createdAt > createdAt ? ['young'] : [],
    );
    const changed = await own.update(old.id, { title: 'old, changed' });
    const justBefore = new Date(Date.parse(changed.updatedAt) - 1).toISOString();
    expect((await titles({ updatedAfter: justBefore }, own))[0]).toBe('old, changed');
    expect(await titles({ updatedAfter: changed.updatedAt }, own)).toEqual([]);
    expect(await titles({ createdAfter: '2020-01-01' }, own)).toHaveLength(3);
    expect((await list({ createdAfter: '2100-01-01' }, own)).pagination.total).toBe(0);
    expect(await titles({ createdAfter: '2020-01-01', search: young.taskId }, own)).toEqual(['young']);
    expect(await titles({ createdAfter: '2100-01-01', search: young.taskId }, own)).toEqual([]);
  });
});

describe('a search finds', () => {
  test('what is held in any of several ways', async () => {
    const own = await startProject();
    const item = await own.create('task', { title: 'Held word', column: 'To Do' });
    await own.create('task', { title: 'Free word' });
    await call(own.caller, 'workItems.claim', { agent: 'ada', ids: [item.id] });
    expect(await titles({ search: 'word', leaseState: ['working', 'stalled'] }, own)).toEqual(['Held word']);
  });

  test('comments and the names of attachments, as long as they are there', async () => {
    const own = await startProject();
    const item = await own.create('task', { title: 'Plain' });
    await call(own.caller, 'workItems.comment', { workItemId: item.id, text: 'The zebra crosses.' });
    await Promise.all(
      ['quagga', 'okapi', 'gnu'].map((text) => call(own.caller, 'workItems.comment', { workItemId: item.id, text })),
    );
    for (const search of ['zebra', 'plain zeb', 'quagga', 'okapi', 'gnu']) {
      expect(await titles({ search }, own)).toEqual(['Plain']);
    }
    await own.update(item.id, { title: 'Striped' });
    expect(await titles({ search: 'zebra gnu striped' }, own)).toEqual(['Striped']);
    expect(await titles({ search: 'plain' }, own)).toEqual([]);
  });

  test('as many words as are kept, the latest', async () => {
    const own = await startProject();
    const { id: workItemId } = await own.create('task', { title: 'Talked about' });
    const word = (index: number) => `w${index.toString(36)}x`;
    for (let from = 0; from < 2_500; from += 500) {
      const text = Array.from({ length: 500 }, (_, index) => word(from + index)).join(' ');
      await call(own.caller, 'workItems.comment', { workItemId, text });
    }
    expect(await titles({ search: word(2_499) }, own)).toEqual(['Talked about']);
    expect(await titles({ search: word(500) }, own)).toEqual(['Talked about']);
    expect(await titles({ search: word(0) }, own)).toEqual([]);
  });
});
