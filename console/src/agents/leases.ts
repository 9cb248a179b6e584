import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { ShownLease, WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { isNews } from '../parts/item/lease.ts';

/** An item that an agent holds. */
export type HeldItem = WorkItemSummary & { readonly lease: ShownLease };

/** More agents than anybody watches. */
export const MAX_SHOWN = 500;
/** A limit on what is requested: those that need somebody are shown first, wherever they are in the list. */
const MAX_READ = 2_000;
const PAGE_SIZE = 100;

/** Those that need somebody come first. */
const STATES = ['stalled', 'awaiting_input', 'working'] as const;

/** How urgently somebody should take a look. */
export type Urgency = (typeof STATES)[number];

/** A lease stalls without an event, so it is determined here by the same rule as in the service: half of its time has passed without a heartbeat. */
export function urgencyOf({ stalled, state, lastHeartbeatAt, expiresAt }: ShownLease, nowMs: number): Urgency {
  if (state !== 'working') return state;
  const heardMs = Date.parse(lastHeartbeatAt);
  return stalled || nowMs - heardMs > (Date.parse(expiresAt) - heardMs) / 2 ? 'stalled' : state;
}

/** An item may have been claimed by another agent since. */
export const claimOf = ({ id, lease }: HeldItem) => `${id} ${lease.claimedAt}`;

/** All items that agents hold. */
export async function heldItems(signal: AbortSignal): Promise<readonly HeldItem[]> {
  const items: HeldItem[] = [];
  let cursor: string | undefined;
  do {
    const input = { leaseState: STATES, cursor, limit: PAGE_SIZE };
    const page = await call<typeof listWorkItems>('GET /api/work-items', input, { signal });
    for (const item of page.workItems) if (item.lease) items.push({ ...item, lease: item.lease });
    cursor = page.nextCursor ?? undefined;
  } while (cursor && items.length < MAX_READ);
  return items;
}

/** The first of them by how they need somebody; within that, those with the least time left come first. */
export function byNeed(items: readonly HeldItem[], nowMs: number): readonly [Urgency, readonly HeldItem[]][] {
  const rank = ({ lease }: HeldItem) => STATES.indexOf(urgencyOf(lease, nowMs));
  const shown = items
    .toSorted(
      (one, other) => rank(one) - rank(other) || Date.parse(one.lease.expiresAt) - Date.parse(other.lease.expiresAt),
    )
    .slice(0, MAX_SHOWN);
  return [...Map.groupBy(shown, ({ lease }) => urgencyOf(lease, nowMs))];
}

export const HELD = ['agents'];

/** How many it takes to read them. */
export const requests = () => (queries.getQueryData<readonly HeldItem[]>(HELD)?.length ?? 0) / PAGE_SIZE;

/** Changes what is shown of them, which is no answer to when it was read. @param change undefined: it stays the same */
export function changeHeld(change: (items: readonly HeldItem[]) => readonly HeldItem[] | undefined): void {
  const { data, dataUpdatedAt } = queries.getQueryState<readonly HeldItem[]>(HELD) ?? {};
  const changed = data && change(data);
  if (changed !== data) queries.setQueryData(HELD, changed, { updatedAt: dataUpdatedAt });
}

export const hear = (event: LoggedEvent) => changeHeld((items) => told(items, event));

/** Whether they have to be read again: an event does not say enough, or what is being read may be from before it. */
export function isUntold(event: LoggedEvent): boolean {
  const { data = [], fetchStatus } = queries.getQueryState<readonly HeldItem[]>(HELD) ?? {};
  return fetchStatus === 'fetching' ? CHANGING.test(event.type) : !told(data, event);
}

const CHANGING = /claim|release|expire|delete|move|update|session/;

/** @returns the items with what an event says about them; undefined: it does not say all of it */
function told(items: readonly HeldItem[], { type, subject, data }: LoggedEvent): readonly HeldItem[] | undefined {
  if (type === 'work_item.claimed') return undefined;
  const item = items.find(({ id }) => id === subject.id);
  if (!item) return items;
  const { title, leaseState } = (data.changes ?? {}) as Changes;
  switch (type) {
    case 'work_item.released':
    case 'work_item.lease_expired':
    case 'work_item.deleted':
      return items.filter((each) => each !== item);
    // Whether these end the lease depends on what the columns are for, and on who is done.
    case 'work_item.moved':
    case 'work_item.ai_session':
      return undefined;
    default:
      // A heartbeat has told it before, unless it was missed.
      if (leaseState && leaseState.to !== item.lease.state) return undefined;
      return title ? items.map((each) => (each === item ? { ...item, title: title.to } : each)) : items;
  }
}

type Changes = Partial<Record<'title' | 'leaseState', { readonly to: string }>>;

/** What heartbeats report, which is in no event of the log. */
export function hearBeat({ workItemId, lease }: Beat): void {
  changeHeld((items) =>
    items.map((item) => (item.id === workItemId && isNews(lease, item.lease) ? { ...item, lease } : item)),
  );
}
