import type { ItemType } from './callers.ts';
import type { Entry, Ledger } from './ledger.ts';
import { type EventState, type ItemState, isInHistories, LOGGED_AS, type Snapshot } from './snapshot.ts';

/** What must hold whatever callers do at the same time, each in one sentence; what is returned is whatever does not hold. */
export const INVARIANTS: Readonly<Record<string, (snapshot: Snapshot, ledger: Ledger) => string[]>> = {
  'every item is in a column of its board': ({ items, columns }) => {
    const names = new Map(columns.map(({ id, name }) => [id, name]));
    return [...items.values()]
      .filter(({ boardColumnId, columnName }) => names.get(boardColumnId) !== columnName)
      .map((item) => `${item.taskId} is in ${item.columnName} (${item.boardColumnId})`);
  },

  'what was created is there or was deleted, and nothing else is there': ({ items, histories }, ledger) => {
    const created = new Set(ledger.of('created').map(({ itemId }) => itemId));
    const isDeleted = (id: string) => histories.get(id)?.at(-1)?.eventType === 'deleted';
    return [
      ...[...created]
        .filter((id) => items.has(id) === isDeleted(id))
        .map((id) => `${id} is lost, or was deleted and is there`),
      ...[...items.keys()].filter((id) => !created.has(id)).map((id) => `${id} was created by nobody`),
    ];
  },

  'task IDs count up without a gap': (_, ledger) => {
    const numbers = ledger.of('created').map(({ taskId }) => Number(taskId.split('-')[2]));
    const missing = numbers.map((_, index) => index + 1).filter((number) => !numbers.includes(number));
    return missing.map((number) => `of ${numbers.length} items none has the number ${number}`);
  },

  'a version is 1 and the writes that changed the item': ({ items, histories }) =>
    [...items.values()].flatMap(({ id, taskId, version }) => {
      const writes = new Set((histories.get(id) ?? []).filter(isChange).map(writeOf));
      return version === 1 + writes.size ? [] : [`${taskId} has version ${version} after ${writes.size} changes`];
    }),

  'no two writes were told the same version': (_, ledger) => {
    const seen = new Set<string>();
    return ledger.entries.flatMap((entry) => {
      if (!('version' in entry) || entry.version === undefined) return [];
      const told = `version ${entry.version} of ${entry.itemId}`;
      if (seen.has(told)) return [`${told} twice`];
      seen.add(told);
      return [];
    });
  },

  'a history begins with the creation, and each change takes up where the one before ended': ({ items, histories }) =>
    [...histories].flatMap(([id, events]) => brokenChains(events, items.get(id)).map((fault) => `${id}: ${fault}`)),

  'parents are there and of the right type, without a ring': ({ items }) =>
    [...items.values()].flatMap((item) => {
      if (item.parentId === null) return [];
      const parent = items.get(item.parentId);
      if (!parent) return [`the parent of ${item.taskId} is gone`];
      if (!PARENTS[item.type].includes(parent.type)) return [`${item.taskId} is below ${parent.taskId}`];
      return ancestorsOf(item, items).includes(item) ? [`${item.taskId} is below itself`] : [];
    }),

  'positions are unique in a column, but for those that a bulk move kept': ({ items, histories }) => {
    const isKept = ({ id }: ItemState) => histories.get(id)?.findLast(isMove)?.data.batch === true;
    const places = Map.groupBy(
      [...items.values()].filter((item) => !isKept(item)),
      ({ boardColumnId, position }) => `${boardColumnId} ${position}`,
    );
    return [...places]
      .filter(([, here]) => here.length > 1)
      .map(([place, here]) => `${here.map(({ taskId }) => taskId)} are all at ${place}`);
  },

  'a lease lives in In Progress only, and there is one at most': ({ items, held }) => {
    const live = [...held.values()].filter((id) => id !== undefined);
    return [
      ...live.filter((id, index) => live.indexOf(id) !== index).map((id) => `${id} is held twice`),
      ...live
        .filter((id) => items.get(id)?.columnName !== 'In Progress')
        .map((id) => `${id} is held in ${items.get(id)?.columnName}`),
    ];
  },

  'dependencies are there, and nothing waits for itself, not even through its parent': ({ items }) =>
    [...items.values()].flatMap((item) => {
      const missing = dependenciesOf(item).filter((name) => !itemNamed(name, items));
      const ring = isBehind(item, item, items) ? [`${item.taskId} waits for itself`] : [];
      return [...missing.map((id) => `${item.taskId} waits for ${id}, which is gone`), ...ring];
    }),

  'what an item is shown to wait for is what is not handed over': (snapshot) =>
    [...snapshot.items.values()].flatMap((item) => {
      const shown = (snapshot.blockedBy.get(item.id) ?? []).toSorted().join();
      const expected = unmetOf(item, snapshot).toSorted().join();
      return shown === expected ? [] : [`${item.taskId} is shown to wait for ${shown || 'nothing'}, not ${expected}`];
    }),

  'what is ready can be claimed, and nothing else': (snapshot) => {
    const { items, claimed, held } = snapshot;
    const parents = new Set([...items.values()].map(({ parentId }) => parentId));
    const holders = new Set(held.values());
    return [...items.values()].flatMap((item) => {
      const { id, taskId, type, columnName } = item;
      const isFree = PENDING.includes(columnName) || (columnName === 'In Progress' && !isAPersons(item));
      const isReady = type === 'task' && !parents.has(id) && !holders.has(id) && unmetOf(item, snapshot).length === 0;
      if ((isReady && isFree) === claimed.has(id)) return [];
      return [`${taskId} in ${columnName} ${claimed.has(id) ? 'was claimed' : 'could not be claimed'}`];
    });
  },

  'a claim holds until the item is moved': ({ histories, held }, ledger) =>
    ledger.of('claimed').flatMap(({ itemId, token, agent }) => {
      const events = histories.get(itemId) ?? [];
      const claimedAt = events.findIndex((event) => assigneeOf(event) === agent);
      const claim = events[claimedAt];
      if (!claim) return [`the history of ${itemId} does not know ${agent}`];
      // The claim itself moves a task that was not in In Progress.
      const later = events.slice(claimedAt).filter((event) => isMove(event) && writeOf(event) !== writeOf(claim));
      return later.length > 0 || ends(events) || held.get(token) === itemId
        ? []
        : [`${itemId} is not held by ${agent}`];
    }),

  'usage is the sum of the sessions that were acknowledged': ({ projectUsage }, ledger) => {
    const sessions = ledger.of('session');
    const expected = { sessions: sessions.length, totalTokens: tokensOf(sessions) };
    const { sessions: count, totalTokens } = projectUsage;
    return count === expected.sessions && totalTokens === expected.totalTokens
      ? []
      : [`${count} sessions, ${totalTokens} tokens; ${JSON.stringify(expected)} were acknowledged`];
  },

  'usage of a tree is that of its items and of those that were deleted below them': (snapshot, ledger) => {
    const expected = new Map<string, number>();
    for (const { itemId, totalTokens } of ledger.of('session')) {
      const root = rootFor(itemId, snapshot);
      if (root) expected.set(root, (expected.get(root) ?? 0) + totalTokens);
    }
    return [...snapshot.usage]
      .filter(([id, { totalTokens }]) => totalTokens !== (expected.get(id) ?? 0))
      .map(([id, { totalTokens }]) => `${id}: ${totalTokens}, not ${expected.get(id) ?? 0}`);
  },

  'a budget counts what was recorded at its item and below it': ({ items, budgets }) =>
    [...budgets]
      .filter(([, { spentUsd, recordedUsd }]) => Math.abs(spentUsd - recordedUsd) > HALF_A_MICRODOLLAR)
      .map(([id, { spentUsd, recordedUsd }]) => `${items.get(id)?.taskId}: ${spentUsd} of ${recordedUsd}`),

  'lists count what is there': ({ items, totals }) =>
    [...totals].flatMap(([filter, total]) => {
      const [field, value] = filter.split('=') as [keyof ItemState, string];
      // The project has one board.
      const there = [...items.values()].filter((item) => (field as string) === 'boardId' || item[field] === value);
      return there.length === total ? [] : [`${filter}: ${total}, and ${there.length} are there`];
    }),

  'people are told how much is waiting for them': ({ items, needs }) => {
    const waiting = {
      review: [...items.values()].filter(({ columnName }) => columnName === 'Review'),
      validation: [...items.values()].filter(({ columnName }) => ['Testing', 'Validating'].includes(columnName)),
      question: [...items.values()].filter(({ lease }) => lease?.state === 'awaiting_input'),
    };
    return (['review', 'validation', 'question'] as const)
      .filter((kind) => needs[kind] !== waiting[kind].length)
      .map((kind) => `${kind}: ${needs[kind]}, and there are ${waiting[kind].length}`);
  },

  'each acknowledged write has its event once': ({ histories }, ledger) => [
    ...once('title', ledger.of('titled'), histories, (entry, event) => changeOf(event, 'title')?.to === entry.title),
    ...once('comment', ledger.of('commented'), histories, (entry, { data }) => data.text === entry.text),
    ...once('session', ledger.of('session'), histories, (entry, { data }) => data.id === entry.sessionId),
    ...once(
      'creation',
      ledger.of('created'),
      histories,
      (entry, { eventType, data }) => eventType === 'created' && data.title === entry.title,
    ),
    ...once(
      'deletion',
      ledger.of('deleted'),
      histories,
      (entry, { eventType, actor }) => eventType === 'deleted' && actor.keyId === entry.keyId,
    ),
    ...countedMoves(histories, ledger),
  ],

  'nothing has an event that nobody was told of': ({ histories }, ledger) => {
    const events = [...histories.values()].flat();
    const count = (eventType: string) => events.filter((event) => event.eventType === eventType).length;
    return (['created', 'deleted', 'comment', 'ai_session'] as const).flatMap((eventType) => {
      const kind = { created: 'created', deleted: 'deleted', comment: 'commented', ai_session: 'session' } as const;
      const told = ledger.of(kind[eventType]).length;
      return count(eventType) === told ? [] : [`${count(eventType)} events ${eventType}, ${told} acknowledged`];
    });
  },

  'the log has no gap, and says of each item what its history says, in that order': ({ log, histories }) => {
    const gaps = log.filter(({ seq }, at) => seq !== at + 1).map(({ seq, type }) => `${type} is ${seq}`);
    const logged = Map.groupBy(log.filter(isInHistories), ({ subject }) => subject.id);
    const toldOf = (id: string) => (logged.get(id) ?? []).map(({ type }) => type).join();
    const differing = [...histories].flatMap(([id, events]) => {
      const expected = events.map(({ eventType }) => LOGGED_AS[eventType]).join();
      return toldOf(id) === expected ? [] : [`${id}: the log has ${toldOf(id)}, its history ${expected}`];
    });
    return [...gaps.slice(0, 1), ...differing];
  },

  // Or whoever waits for work would never hear of it.
  'what can be claimed was said to be ready since it last could not be': ({ log, claimed, items }) => {
    const ready = new Map<string, boolean>();
    for (const { type, subject, data } of log) {
      if (type === 'work_item.ready') ready.set(subject.id, true);
      const isElsewhere = type === 'work_item.moved' && !CLAIMED_FROM.includes(data.toColumn as string);
      if (type === 'work_item.claimed' || isElsewhere) ready.set(subject.id, false);
    }
    return [...claimed].filter((id) => !ready.get(id)).map((id) => `${items.get(id)?.taskId} was not said to be ready`);
  },

  'parents have followed their children': (snapshot, ledger) => unsettled(snapshot, ledger.slowest.durationMs),
};

/** Costs are shown with six decimals. */
const HALF_A_MICRODOLLAR = 5e-7;

const PARENTS: Readonly<Record<ItemType, readonly ItemType[]>> = {
  epic: [],
  idea: [],
  feature: ['epic'],
  story: ['feature'],
  task: ['epic', 'feature', 'story', 'task', 'idea'],
};

const MET: Readonly<Record<Snapshot['dependencyMet'], readonly string[]>> = {
  review: ['Review', 'Testing', 'Validating', 'To Document', 'Done'],
  testing: ['Testing', 'Validating', 'To Document', 'Done'],
  done: ['Done'],
};

const dependenciesOf = ({ metadata }: ItemState) => metadata.dependsOn ?? [];
/** By its id, or by its task ID. */
const itemNamed = (name: string, items: Snapshot['items']) =>
  items.get(name) ?? [...items.values()].find(({ taskId }) => taskId === name);

function unmetOf(item: ItemState, { items, dependencyMet }: Snapshot): string[] {
  const named = new Set(dependenciesOf(item).flatMap((name) => itemNamed(name, items) ?? []));
  return [...named].filter(({ columnName }) => !MET[dependencyMet].includes(columnName)).map(({ taskId }) => taskId);
}

/** Whether one is among what another waits for, at any distance. */
/** An item waits for what it depends on, and is done only when all that is below it is. */
function isBehind(one: ItemState, other: ItemState, items: Snapshot['items'], seen = new Set<ItemState>()): boolean {
  const dependencies = dependenciesOf(other).flatMap((name) => itemNamed(name, items) ?? []);
  const children = [...items.values()].filter(({ parentId }) => parentId === other.id);
  return [...dependencies, ...children].some((next) => {
    if (next === one) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return isBehind(one, next, items, seen);
  });
}

/** The name of an agent that has ended its work stays, and holds nothing; and what was sent back is for anybody, whoever it was assigned to before. */
const isAPersons = ({ assignee, rework }: ItemState) =>
  assignee !== null && !assignee.startsWith('Agent') && rework === undefined;

const isMove = ({ eventType }: EventState) => eventType === 'moved';
const isChange = ({ eventType }: EventState) => eventType === 'moved' || eventType === 'updated';
const ends = (events: readonly EventState[]) => events.at(-1)?.eventType === 'deleted';
const tokensOf = (sessions: readonly { readonly totalTokens: number }[]) =>
  sessions.reduce((sum, { totalTokens }) => sum + totalTokens, 0);

/** The events of one write have one actor and one time, and no caller makes two writes at a time. */
const writeOf = ({ actor, createdAt }: EventState) => `${actor.keyId} ${createdAt}`;

function changeOf(
  { data }: Pick<EventState, 'data'>,
  field: string,
): { readonly from: unknown; readonly to: unknown } | undefined {
  return (data.changes as Record<string, { from: unknown; to: unknown }> | undefined)?.[field];
}
const assigneeOf = (event: EventState) => changeOf(event, 'assignee')?.to;

/** What a history says of each change; labels by their names. */
const TOLD = ['title', 'parentId', 'assignee', 'type', 'priority', 'labels'] as const;

function brokenChains(events: readonly EventState[], item: ItemState | undefined): string[] {
  const [created, ...later] = events;
  if (created?.eventType !== 'created') return [`begins with ${created?.eventType}`];
  const faults: string[] = [];
  const now: Record<string, unknown> = { ...created.data };
  later.forEach((event, index) => {
    if (event.eventType === 'created') faults.push('is created again');
    if (event.eventType === 'deleted' && index < later.length - 1) faults.push('goes on after its deletion');
    if (isMove(event)) {
      const { fromColumn, toColumn } = event.data;
      if (fromColumn !== now.columnName) faults.push(`moves from ${fromColumn}, being in ${now.columnName}`);
      now.columnName = toColumn;
    }
    for (const field of TOLD) {
      const change = changeOf(event, field);
      if (!change) continue;
      if (`${change.from}` !== `${now[field]}`)
        faults.push(`${field} changes from ${change.from}, being ${now[field]}`);
      now[field] = change.to;
    }
  });
  if (!item) return faults;
  for (const field of ['columnName', ...TOLD] as const) {
    if (`${item[field]}` !== `${now[field]}`)
      faults.push(`${field} is ${item[field]}; by its history it is ${now[field]}`);
  }
  return faults;
}

/** As far as it is not a ring. */
function ancestorsOf(item: ItemState, items: Snapshot['items']): ItemState[] {
  const above: ItemState[] = [];
  for (let next = item.parentId; next !== null; ) {
    const parent = items.get(next);
    if (!parent || above.includes(parent)) break;
    above.push(parent);
    next = parent.parentId;
  }
  return above;
}

/** The top of the tree for which an item counts now: a deleted one counts for the parent that it had. Undefined if that had none. */
function rootFor(itemId: string, { items, histories }: Snapshot): string | undefined {
  for (let id: string | null = itemId; id !== null; ) {
    const item = items.get(id);
    if (item) return (ancestorsOf(item, items).at(-1) ?? item).id;
    const events: readonly EventState[] = histories.get(id) ?? [];
    const last = events.findLast((event) => changeOf(event, 'parentId'));
    id = ((last ? changeOf(last, 'parentId')?.to : events[0]?.data.parentId) ?? null) as string | null;
  }
  return undefined;
}

function once<E extends Entry>(
  what: string,
  entries: readonly E[],
  histories: Snapshot['histories'],
  isOf: (entry: E, event: EventState) => boolean,
): string[] {
  return entries.flatMap((entry) => {
    const { length } = (histories.get(entry.itemId) ?? []).filter((event) => isOf(entry, event));
    return length === 1 ? [] : [`${what} ${JSON.stringify(entry)}: ${length} events`];
  });
}

/** Moves cannot be told apart by what they hold, only by who made them on which item. */
function countedMoves(histories: Snapshot['histories'], ledger: Ledger): string[] {
  const by = (entries: readonly Entry[]) => Map.groupBy(entries, ({ itemId, keyId }) => `${itemId} ${keyId}`);
  const [moved, perhaps, batch] = [by(ledger.of('moved')), by(ledger.of('perhapsMoved')), by(ledger.of('batchMoved'))];
  const faults: string[] = [];
  for (const [id, events] of histories) {
    for (const [keyId, own] of Map.groupBy(events.filter(isMove), ({ actor }) => actor.keyId)) {
      const key = `${id} ${keyId}`;
      const isBatch = ({ data }: EventState) => data.batch === true;
      const direct = own.filter((event) => !isBatch(event) && !event.data.causedBy).length;
      const least = moved.get(key)?.length ?? 0;
      const most = least + (perhaps.get(key)?.length ?? 0);
      if (direct < least || direct > most) faults.push(`${key}: ${direct} moves, ${least} to ${most} acknowledged`);
      const inBatches = own.filter(isBatch).length;
      const told = batch.get(key)?.length ?? 0;
      if (inBatches !== told) faults.push(`${key}: ${inBatches} moves by batches, ${told} acknowledged`);
      moved.delete(key);
      batch.delete(key);
    }
  }
  return [...faults, ...[...moved.keys(), ...batch.keys()].map((key) => `${key}: no move, though acknowledged`)];
}

const PENDING = ['Backlog', 'To Do'];
const JUDGED = ['Review', 'Testing', 'Validating'];
const CLAIMED_FROM = [...PENDING, 'In Progress'];

/**
 * After a child moved, its parent moved to Done if all of its children were there, and to In Progress if it was pending and the child was not. But where gates
 * were enforced, no task left the column in which it is judged. A parent that may be elsewhere because of later changes to it or its other children proves
 * nothing, and is skipped.
 * @param slackMs how far the times of two writes may deviate from their order
 */
function unsettled({ items, histories, log }: Snapshot, slackMs: number): string[] {
  const wasEnforced = log.some((event) => changeOf(event, 'gates')?.to === 'enforce');
  const at = (event: EventState | undefined) => (event ? Date.parse(event.createdAt) : 0);
  const leftAt = new Map<string, number>();
  for (const events of histories.values()) {
    for (const event of events) {
      const from = event.eventType === 'deleted' ? parentAtEnd(events) : changeOf(event, 'parentId')?.from;
      if (typeof from === 'string') leftAt.set(from, Math.max(leftAt.get(from) ?? 0, at(event)));
    }
  }
  const children = Map.groupBy(
    [...items.values()].filter(({ parentId }) => parentId !== null),
    ({ parentId }) => parentId as string,
  );
  return [...children].flatMap(([parentId, own]) => {
    const parent = items.get(parentId);
    if (!parent) return [];
    const movedAt = at(histories.get(parentId)?.findLast(isMove));
    // For each child, the move that brought it to where it is, if it has had this parent ever since, and if that move makes parents follow.
    const arrivals = own.map(({ id }) => {
      const events = histories.get(id) ?? [];
      const index = events.findLastIndex(isMove);
      const { data } = events[index] ?? {};
      const follows = data && !data.batch && (!data.isAutoSync || data.causedBy);
      const stayed = !events.slice(index + 1).some((event) => changeOf(event, 'parentId'));
      return follows && stayed ? at(events[index]) : undefined;
    });
    const since = (time: number | undefined) => time !== undefined && time > movedAt + slackMs;
    const isOut = own.some(({ columnName }, index) => !PENDING.includes(columnName) && since(arrivals[index]));
    if (PENDING.includes(parent.columnName) && isOut) return [`${parent.taskId} is in ${parent.columnName}`];
    const last = Math.max(...arrivals.map((time) => time ?? 0));
    const allDone = own.every(({ columnName }, index) => columnName === 'Done' && arrivals[index] !== undefined);
    const settles = allDone && since(last) && last > (leftAt.get(parentId) ?? 0) + slackMs;
    const isGated = wasEnforced && parent.type === 'task' && JUDGED.includes(parent.columnName);
    return settles && parent.columnName !== 'Done' && !isGated
      ? [`${parent.taskId} is in ${parent.columnName}, its children are done`]
      : [];
  });
}

function parentAtEnd(events: readonly EventState[]): unknown {
  const last = events.findLast((event) => changeOf(event, 'parentId'));
  return last ? changeOf(last, 'parentId')?.to : events[0]?.data.parentId;
}
