import { expect, vi } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import type { ItemType } from './callers.ts';

export interface ItemState {
  readonly id: string;
  readonly taskId: string;
  readonly title: string;
  readonly type: ItemType;
  readonly boardColumnId: string;
  readonly columnName: string;
  readonly parentId: string | null;
  readonly position: number;
  readonly version: number;
  readonly lease: { readonly state: string } | null;
  /** Of a task that was sent back. */
  readonly rework?: object;
  readonly assignee: string | null;
  readonly priority: string;
  readonly labels: readonly string[];
  readonly metadata: { readonly dependsOn?: readonly string[] };
}
export interface EventState {
  readonly eventType: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actor: { readonly keyId: string };
  readonly createdAt: string;
}
/** An event in the organization's log. */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly subject: { readonly id: string };
  readonly data: Readonly<Record<string, unknown>>;
}
export interface UsageState {
  readonly sessions: number;
  readonly totalTokens: number;
}

/** Everything that the organization shows once nobody is writing any more. */
export interface Snapshot {
  readonly columns: readonly { readonly id: string; readonly name: string }[];
  readonly items: ReadonlyMap<string, ItemState>;
  /** Oldest first, including deleted items. */
  readonly histories: ReadonlyMap<string, readonly EventState[]>;
  /** Oldest first. */
  readonly log: readonly LoggedEvent[];
  /** What lists count, by what is asked for. */
  readonly totals: ReadonlyMap<string, number>;
  readonly projectUsage: UsageState;
  /** For each item without a parent, with everything below it. */
  readonly usage: ReadonlyMap<string, UsageState>;
  /** Of each item with a budget: what counts as spent, and what was recorded at it and below it. */
  readonly budgets: ReadonlyMap<string, { readonly spentUsd: number; readonly recordedUsd: number }>;
  /** For each token of a claim: the item, if its lease lives. */
  readonly held: ReadonlyMap<string, string | undefined>;
  /** How many items are waiting for somebody, by what they need. */
  readonly needs: Readonly<Record<'review' | 'validation' | 'question', number>>;
  readonly dependencyMet: 'review' | 'testing' | 'done';
  /** What the board shows each item to wait for, by task IDs. */
  readonly blockedBy: ReadonlyMap<string, readonly string[]>;
  /** What was claimed after all of this had been read, by agents that took what there was until nothing was left. */
  readonly claimed: ReadonlySet<string>;
}

const MAX_EVENTS = 200;
const PAGE = 100;
const LOG_FOLLOWS = { timeout: 30_000, interval: 100 };
type Call = TestOrganization['call'];
interface Page {
  readonly workItems: readonly { readonly id: string }[];
  readonly pagination: { readonly total: number; readonly totalPages: number };
}
interface CardsPage {
  readonly cards: readonly { readonly id: string; readonly blockedBy: readonly string[] }[];
  readonly nextCursor: string | null;
}

interface UsageAnswer {
  readonly totals: UsageState & { readonly estimatedCost: string };
  readonly budgets?: readonly { readonly of: string; readonly spent: { readonly recordedUsd: number } }[];
}
const usageOf = (by: Call, query: string) => read<UsageAnswer>(by, `/api/ai-usage?${query}`);

/** @param calls of several keys, which share the reading */
export async function takeSnapshot(
  { projectId, boardId }: TestOrganization,
  calls: readonly Call[],
  everyItemId: readonly string[],
  tokens: readonly string[],
): Promise<Snapshot> {
  const [call] = calls as [Call];
  const ids = await allIds(call, projectId);
  const items = new Map<string, ItemState>();
  await shared(ids, calls, async (id, by) => void items.set(id, await read<ItemState>(by, `/api/work-items/${id}`)));

  const histories = new Map<string, EventState[]>();
  await shared([...new Set([...everyItemId, ...ids])], calls, async (id, by) => {
    const path = `/api/work-items/${id}/events?limit=${MAX_EVENTS}`;
    const { events, totalEvents } = await read<{ events: EventState[]; totalEvents: number }>(by, path);
    if (totalEvents > MAX_EVENTS) throw new Error(`${id} has ${totalEvents} events, more than one answer shows.`);
    histories.set(id, events.toReversed());
  });

  const inHistories = [...histories.values()].flat().length;
  const log = await readLog(call, inHistories);

  const usage = new Map<string, UsageState>();
  const roots = [...items.values()].filter(({ parentId }) => parentId === null);
  await shared(roots, calls, async ({ id }, by) => void usage.set(id, (await usageOf(by, `workItemId=${id}`)).totals));
  const budgets = new Map<string, { spentUsd: number; recordedUsd: number }>();
  await shared([...items.values()], calls, async ({ id, taskId, type }, by) => {
    if (type === 'task' || type === 'idea') return;
    const { totals, budgets: all = [] } = await usageOf(by, `workItemId=${id}`);
    const own = all.find(({ of }) => of === taskId);
    if (own) budgets.set(id, { spentUsd: own.spent.recordedUsd, recordedUsd: Number(totals.estimatedCost) });
  });

  const { columns } = await read<{ columns: { id: string; name: string }[] }>(call, `/api/boards/${boardId}`);
  const parents = new Set([...items.values()].flatMap(({ parentId }) => parentId ?? []));
  const filters = [
    `boardId=${boardId}`,
    ...['task', 'story', 'feature', 'epic', 'idea'].map((type) => `type=${type}`),
    ...columns.map(({ id }) => `boardColumnId=${id}`),
    ...[...parents].map((id) => `parentId=${id}`),
  ];
  const totals = new Map<string, number>();
  await shared(filters, calls, async (filter, by) => {
    totals.set(filter, (await read<Page>(by, `/api/work-items?limit=1&${filter}`)).pagination.total);
  });

  const held = new Map<string, string | undefined>();
  await shared(tokens, calls, async (leaseToken, by) => {
    const answer = await by<{ workItem: { id: string } }>('POST', '/api/work-items/claim', { agent: 'A', leaseToken });
    held.set(leaseToken, answer.success ? answer.data.workItem.id : undefined);
  });
  const blockedBy = new Map<string, readonly string[]>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/api/boards/${boardId}/cards?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: CardsPage = await read<CardsPage>(call, path);
    for (const card of page.cards) blockedBy.set(card.id, card.blockedBy);
    cursor = page.nextCursor;
  }
  const { counts: needs } = await read<{ counts: Snapshot['needs'] }>(call, '/api/for-you?limit=1');
  const { dependencyMet } = await read<Pick<Snapshot, 'dependencyMet'>>(call, `/api/projects/${projectId}`);
  const { totals: projectUsage } = await usageOf(call, `projectId=${projectId}`);

  const claimed = new Set<string>();
  await Promise.all(
    calls.map(async (by) => {
      for (;;) {
        const body = { agent: 'Anybody', projectId };
        const answer = await by<{ workItem: { id: string } | null }>('POST', '/api/work-items/claim', body);
        if (!answer.success) throw new Error(`A claim was refused: ${answer.error.message}`);
        if (!answer.data.workItem) return;
        claimed.add(answer.data.workItem.id);
      }
    }),
  );
  return {
    columns,
    items,
    histories,
    log,
    totals,
    usage,
    budgets,
    held,
    projectUsage,
    needs,
    dependencyMet,
    blockedBy,
    claimed,
  };
}

/** How the log calls what histories hold. */
export const LOGGED_AS: Readonly<Record<string, string>> = {
  created: 'work_item.created',
  updated: 'work_item.updated',
  moved: 'work_item.moved',
  deleted: 'work_item.deleted',
  comment: 'work_item.commented',
  ai_session: 'work_item.ai_session',
};

/** What is done to an item's budget is in the log alone. */
export const isInHistories = ({ type, data }: LoggedEvent) =>
  Object.values(LOGGED_AS).includes(type) && !('budget' in data);

/** @param least what has to be in it: it follows the writes */
async function readLog(call: Call, least: number): Promise<LoggedEvent[]> {
  const log: LoggedEvent[] = [];
  const readOn = async (): Promise<number> => {
    const path = `/api/events?limit=${MAX_EVENTS}&after=${log.at(-1)?.seq ?? 0}`;
    const { events } = await read<{ events: LoggedEvent[] }>(call, path);
    log.push(...events);
    return events.length > 0 ? readOn() : log.filter(isInHistories).length;
  };
  await vi.waitFor(async () => expect(await readOn()).toBeGreaterThanOrEqual(least), LOG_FOLLOWS);
  return log;
}

async function allIds(call: Call, projectId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/work-items?projectId=${projectId}&limit=${PAGE}&page=${page}`;
    const { workItems, pagination } = await read<Page>(call, path);
    ids.push(...workItems.map(({ id }) => id));
    if (page >= pagination.totalPages) return ids;
  }
}

async function read<T>(call: Call, path: string): Promise<T> {
  const answer = await call<T>('GET', path);
  if (!answer.success) throw new Error(`GET ${path}: ${answer.status} ${answer.error.message}`);
  return answer.data;
}

/** All of it, as many at a time as there are calls. */
async function shared<T>(all: readonly T[], calls: readonly Call[], each: (one: T, by: Call) => Promise<void>) {
  const queue = [...all];
  await Promise.all(
    calls.map(async (by) => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await each(next, by);
    }),
  );
}
