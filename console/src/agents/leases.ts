import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { getWorkItemEvents } from '@worktrack/contracts/work-items/events';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { ShownLease, WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';

/** An item that an agent holds. */
export type HeldItem = WorkItemSummary & { readonly lease: ShownLease };

/** Per state: more agents than anybody watches, and a limit on what is requested. */
export const MAX_SHOWN = 500;
const PAGE = 100;

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
  const found = await Promise.all(STATES.map((leaseState) => itemsOf(leaseState, signal)));
  // One that changes state meanwhile may be in two answers.
  const byId = new Map(found.flat().map((item) => [item.id, item]));
  return [...byId.values()];
}

async function itemsOf(leaseState: Urgency, signal: AbortSignal): Promise<HeldItem[]> {
  const items: HeldItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await call<typeof listWorkItems>(
      'GET /api/work-items',
      { leaseState, cursor, limit: PAGE },
      { signal },
    );
    for (const item of page.workItems) if (item.lease) items.push({ ...item, lease: item.lease });
    cursor = page.nextCursor ?? undefined;
  } while (cursor && items.length < MAX_SHOWN);
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

/** What an agent last asked, and the answers since. */
export interface Conversation {
  readonly question: string | undefined;
  readonly answer: { readonly text: string; readonly at: string } | undefined;
}

const COMMENTS_READ = 50;

/** The history marks a question; any later comment answers it. */
export async function conversationOf({ id, lease }: HeldItem, signal: AbortSignal): Promise<Conversation> {
  const { events } = await call<typeof getWorkItemEvents>(
    'GET /api/work-items/:workItemId/events',
    { workItemId: id, eventType: 'comment', limit: COMMENTS_READ },
    { signal },
  );
  const asked = events.findIndex(({ data, createdAt }) => data.question === true && createdAt >= lease.claimedAt);
  const answer = asked > 0 ? events[0] : undefined;
  return {
    question: asked < 0 ? undefined : textOf(events[asked]),
    answer: answer && { text: textOf(answer), at: answer.createdAt },
  };
}

const textOf = (event: { readonly data: Record<string, unknown> } | undefined) => String(event?.data.text ?? '');

/** Whether an event changes who holds what, or what is shown of it. */
export function changesLeases({ subject }: LoggedEvent): boolean {
  return subject.kind === 'work_item';
}
