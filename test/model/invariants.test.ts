import { expect, test } from 'vitest';
import { INVARIANTS } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { type EventState, type ItemState, LOGGED_AS, type LoggedEvent, type Snapshot } from './snapshot.ts';

const KEY = 'key';
let clock = 0;
function event(eventType: string, data: Record<string, unknown>): EventState {
  clock += 10_000;
  return { eventType, data, actor: { keyId: KEY }, createdAt: new Date(clock).toISOString() };
}
const moved = (fromColumn: string, toColumn: string, more: object = {}) =>
  event('moved', { fromColumn, toColumn, ...more });
const changed = (field: string, from: unknown, to: unknown) => event('updated', { changes: { [field]: { from, to } } });

type Writable<T> = { -readonly [K in keyof T]: T[K] };
interface Given {
  readonly items: Map<string, Writable<ItemState>>;
  readonly histories: Map<string, EventState[]>;
  readonly log: LoggedEvent[];
  readonly totals: Map<string, number>;
  readonly usage: Map<string, { sessions: number; totalTokens: number }>;
  readonly budgets: Map<string, { spentUsd: number; recordedUsd: number }>;
  readonly held: Map<string, string | undefined>;
  readonly needs: { review: number; validation: number; question: number };
  readonly dependencyMet: Snapshot['dependencyMet'];
  readonly blockedBy: Map<string, string[]>;
  readonly claimed: Set<string>;
  readonly columns: { id: string; name: string }[];
  readonly projectUsage: { sessions: number; totalTokens: number };
  readonly ledger: Ledger;
}

/** A story with a task that was claimed, and one that is done; everything about them is as it should be. */
function given(): Given {
  const ledger = new Ledger();
  const columns = ['Backlog', 'In Progress', 'Done'].map((name) => ({ id: name.toLowerCase(), name }));
  const item = (id: string, number: number, columnName: string, more: Partial<ItemState>): Writable<ItemState> => ({
    ...{ id, taskId: `W-T-${number}`, title: id, type: 'task', boardColumnId: columnName.toLowerCase(), columnName },
    ...{
      parentId: 'story',
      position: number,
      version: 1,
      lease: null,
      assignee: null,
      priority: 'medium',
      labels: [],
      metadata: {},
    },
    ...more,
  });
  const created = (id: string, number: number, parentId: string | null) => {
    ledger.write({ kind: 'created', itemId: id, keyId: KEY, taskId: `W-T-${number}`, title: id });
    const type = id === 'story' ? 'story' : 'task';
    const fields = { type, priority: 'medium', labels: [] };
    return event('created', { title: id, columnName: 'Backlog', parentId, assignee: null, ...fields });
  };
  const story = [created('story', 1, null)];
  const claimed = [created('claimed', 2, 'story')];
  const done = [created('done', 3, 'story')];

  const claim = changed('assignee', null, 'Agent');
  claimed.push(claim, { ...moved('Backlog', 'In Progress'), createdAt: claim.createdAt });
  story.push(moved('Backlog', 'In Progress', { isAutoSync: true, causedBy: 'claimed' }));
  done.push(moved('Backlog', 'Done'), event('comment', { text: 'Text' }), event('ai_session', { id: 'session' }));
  done.push(changed('title', 'done', 'Title'));
  ledger.write({ kind: 'perhapsMoved', itemId: 'claimed', keyId: KEY });
  ledger.write({ kind: 'claimed', itemId: 'claimed', keyId: KEY, token: 'token', agent: 'Agent', version: 2 });
  ledger.write({ kind: 'moved', itemId: 'done', keyId: KEY, version: 2 });
  ledger.write({ kind: 'commented', itemId: 'done', keyId: KEY, text: 'Text' });
  ledger.write({ kind: 'session', itemId: 'done', keyId: KEY, sessionId: 'session', totalTokens: 8 });
  ledger.write({ kind: 'titled', itemId: 'done', keyId: KEY, title: 'Title', version: 3 });
  const histories = new Map(Object.entries({ story, claimed, done }));
  const logged = [...histories].flatMap(([id, events]) =>
    events.map(({ eventType, data }) => ({ type: LOGGED_AS[eventType] as string, subject: { id }, data })),
  );
  return {
    ledger,
    columns,
    items: new Map([
      ['story', item('story', 1, 'In Progress', { type: 'story', parentId: null, version: 2 })],
      ['claimed', item('claimed', 2, 'In Progress', { version: 2, assignee: 'Agent' })],
      ['done', item('done', 3, 'Done', { title: 'Title', version: 3 })],
    ]),
    histories,
    log: logged.map((event, at) => ({ ...event, seq: at + 1 })),
    totals: new Map([
      ['boardId=board', 3],
      ['type=task', 2],
      ['boardColumnId=done', 1],
      ['parentId=story', 2],
    ]),
    usage: new Map([['story', { sessions: 1, totalTokens: 8 }]]),
    projectUsage: { sessions: 1, totalTokens: 8 },
    needs: { review: 0, validation: 0, question: 0 },
    dependencyMet: 'review',
    blockedBy: new Map([['claimed', []]]),
    claimed: new Set(),
    budgets: new Map([['story', { spentUsd: 0.1 + 0.2, recordedUsd: 0.3 }]]),
    held: new Map([['token', 'claimed']]),
  };
}

const brokenBy = (what: Given) =>
  Object.entries(INVARIANTS)
    .filter(([, broken]) => broken(what as Snapshot, what.ledger).length > 0)
    .map(([name]) => name);
const item = (what: Given, id: string) => what.items.get(id) as Writable<ItemState>;
const dependsOn = (what: Given, id: string, on: string) =>
  void Object.assign(item(what, id), { metadata: { dependsOn: [on] } });
const history = (what: Given, id: string) => what.histories.get(id) as EventState[];

test('all invariants hold when everything is as it should be', () => {
  expect(brokenBy(given())).toEqual([]);
});

test.each<[string, (what: Given) => void]>([
  ['every item is in a column of its board', (what) => void what.columns.pop()],
  ['what was created is there or was deleted, and nothing else is there', (what) => void what.items.delete('done')],
  [
    'what was created is there or was deleted, and nothing else is there',
    (what) => void what.items.set('other', { ...item(what, 'done'), id: 'other' }),
  ],
  [
    'task IDs count up without a gap',
    ({ ledger }) => ledger.write({ kind: 'created', itemId: 'x', keyId: KEY, taskId: 'W-T-5', title: 'x' }),
  ],
  ['a version is 1 and the writes that changed the item', (what) => void item(what, 'done').version++],
  [
    'no two writes were told the same version',
    ({ ledger }) => ledger.write({ kind: 'titled', itemId: 'done', keyId: KEY, title: 'Title', version: 2 }),
  ],
  [
    'a history begins with the creation, and each change takes up where the one before ended',
    (what) => void history(what, 'done').push(moved('Backlog', 'Done')),
  ],
  [
    'a history begins with the creation, and each change takes up where the one before ended',
    (what) => void Object.assign(item(what, 'done'), { columnName: 'Backlog' }),
  ],
  ['parents are there and of the right type, without a ring', (what) => void what.items.delete('story')],
  [
    'parents are there and of the right type, without a ring',
    (what) => void Object.assign(item(what, 'claimed'), { parentId: 'claimed' }),
  ],
  [
    'positions are unique in a column, but for those that a bulk move kept',
    (what) => void Object.assign(item(what, 'claimed'), { position: 1 }),
  ],
  ['a lease lives in In Progress only, and there is one at most', (what) => void what.held.set('token', 'done')],
  ['a lease lives in In Progress only, and there is one at most', (what) => void what.held.set('other', 'claimed')],
  [
    'dependencies are there, and nothing waits for itself, not even through its parent',
    (what) => dependsOn(what, 'done', 'gone'),
  ],
  [
    'dependencies are there, and nothing waits for itself, not even through its parent',
    (what) => {
      dependsOn(what, 'done', 'claimed');
      dependsOn(what, 'claimed', 'done');
    },
  ],
  [
    'dependencies are there, and nothing waits for itself, not even through its parent',
    (what) => dependsOn(what, 'claimed', 'story'),
  ],
  ['what an item is shown to wait for is what is not handed over', (what) => dependsOn(what, 'done', 'claimed')],
  [
    'what an item is shown to wait for is what is not handed over',
    (what) => void what.blockedBy.set('claimed', ['W-T-3']),
  ],
  ['what is ready can be claimed, and nothing else', (what) => void what.claimed.add('done')],
  ['what is ready can be claimed, and nothing else', (what) => void what.held.delete('token')],
  [
    'what is ready can be claimed, and nothing else',
    (what) => void Object.assign(item(what, 'done'), { columnName: 'In Progress', assignee: 'Ada', rework: {} }),
  ],
  ['a claim holds until the item is moved', (what) => void what.held.set('token', undefined)],
  ['usage is the sum of the sessions that were acknowledged', (what) => void what.projectUsage.totalTokens++],
  [
    'usage of a tree is that of its items and of those that were deleted below them',
    (what) => void what.usage.set('story', { sessions: 0, totalTokens: 0 }),
  ],
  [
    'a budget counts what was recorded at its item and below it',
    (what) => void what.budgets.set('story', { spentUsd: 0.3, recordedUsd: 0.300001 }),
  ],
  ['people are told how much is waiting for them', (what) => void what.needs.review++],
  [
    'people are told how much is waiting for them',
    (what) => void Object.assign(item(what, 'claimed'), { lease: { state: 'awaiting_input' } }),
  ],
  ['lists count what is there', (what) => void what.totals.set('parentId=story', 1)],
  ['each acknowledged write has its event once', (what) => void history(what, 'done').splice(2, 1)],
  [
    'each acknowledged write has its event once',
    (what) => void history(what, 'done').push(event('comment', { text: 'Text' })),
  ],
  ['each acknowledged write has its event once', (what) => void history(what, 'done').splice(1, 1)],
  [
    'nothing has an event that nobody was told of',
    (what) => void history(what, 'done').push(event('comment', { text: 'Other' })),
  ],
  ['the log has no gap, and says of each item what its history says, in that order', ({ log }) => void log.pop()],
  ['the log has no gap, and says of each item what its history says, in that order', ({ log }) => void log.reverse()],
  [
    'the log has no gap, and says of each item what its history says, in that order',
    ({ log }) => log.push({ seq: 99, type: 'work_item.ready', subject: { id: 'done' }, data: {} }),
  ],
  ['what can be claimed was said to be ready since it last could not be', (what) => void what.claimed.add('done')],
  // The claimed one was finished, and the story was left where it is.
  [
    'parents have followed their children',
    (what) => {
      history(what, 'claimed').push(moved('In Progress', 'Done'));
      Object.assign(item(what, 'claimed'), { columnName: 'Done' });
    },
  ],
  // The story was left where it was when work on it began.
  [
    'parents have followed their children',
    (what) => {
      history(what, 'story').pop();
      Object.assign(item(what, 'story'), { columnName: 'Backlog' });
    },
  ],
])('%s: and if it does not, that is reported', (invariant, spoil) => {
  const what = given();
  spoil(what);
  expect(brokenBy(what)).toContain(invariant);
});
