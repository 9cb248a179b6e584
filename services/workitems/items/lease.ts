import type { CostBasis } from '@worktrack/contracts/work-items/costs/sessions';
import type { LeaseState, Rework, ShownLease } from '@worktrack/contracts/work-items/work-item';

/**
 * A task that a failed review or validation, or a move by hand, sent back: open for work rather than in progress, until it is claimed, moved or given an
 * assignee.
 */
export interface Returned {
  from: Rework['from'];
  at: Date;
  /** What to fix, as far as lists show it. Absent in what earlier versions stored. */
  summary?: string | undefined;
  issues?: string[] | undefined;
}

/** What has to pass again before those that build upon a task can rely on it. */
export type Verdict = 'review' | 'validation';

/** A dependency that was sent back when somebody had already begun to build upon it. */
export interface ReturnedBase {
  id: string;
  taskId: string;
  /** The verdict that makes it sound again. */
  until: Verdict;
}

/** The exclusive right of an agent to work on an item, for a while. Part of the item's record, so that it ends in the same write as its cause. */
export interface LeaseRecord {
  token: string;
  /** The API key that claimed. */
  keyId: string;
  agent: string;
  /** Names the work from this claim on, in all that is recorded of it. Absent in leases of earlier versions. */
  run?: string;
  claimedAt: Date;
  /** How often the agent was heard of since. */
  beats?: number;
  expiresAt: Date;
  /** How long it lasts from each heartbeat. */
  leaseSeconds: number;
  /** When it becomes stalled, unless a heartbeat comes first. */
  stallsAt: Date;
  state: LeaseState;
  /** The owner of the key. */
  userId: string;
  note?: string;
  question?: string;
  /** When the agent began to wait for an answer to it. */
  askedAt?: Date;
  /** The item's revision before the question: whatever is commented after it, but not by the agent itself, answers it. */
  askedRevision?: number;
  progress?: number;
  /** What the agent's work has used so far, not yet reported by a completion. */
  report?: TokenReport;
  /** When something about it has to be noticed next: that it stalls, then that it expires. Removed once its expiry has been settled (settle.ts). */
  unsettledUntil?: Date;
  /** JSON for whoever works on the item next. */
  checkpoint?: string;
  /** The item's revision up to which the agent has received others' comments. */
  heardRevision: number;
  /** What the agent has not been told yet. */
  notices?: Notice[];
  /** What a release restores. */
  before: {
    boardColumnId: string;
    assignee: string | null;
    isAiProcessing: boolean;
    claimedBy?: string | null | undefined;
    /** Why it was already in `In Progress`, to be fixed. */
    returned?: Returned | null;
  };
}

/** What happened to something that the agent builds upon. */
export interface Notice {
  kind: 'dependency_returned';
  taskId: string;
  summary: string;
  issues: string[];
  at: Date;
}

/** What work has used; null: not said. */
export interface Used {
  totalTokens: number;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Parts of the input. */
  cachedInputTokens: number | null;
  cacheWriteTokens: number | null;
  /** null: the price is not known. */
  costMicrodollars: number | null;
  /** Absent in what earlier versions stored. */
  costBasis?: CostBasis | undefined;
}

/** What work has used so far, and who did it in the end. Abandoned sessions of earlier versions do not say it. */
export interface UsedBy extends Used {
  model?: string | undefined;
  provider?: string | undefined;
  /** What was used, in all, before that model took over. Absent if there was no other. */
  earlier?: Used | undefined;
}

export interface TokenReport extends UsedBy {
  model: string;
  provider: string;
  /** The most that was said to have been paid so far, also where the estimate for more tokens has hidden it since. Absent: nothing was said. */
  paidMicrodollars?: number | undefined;
  at: Date;
}

/** What was recorded when a lease ended without a completion. A completion that the same key makes after all includes it. */
export interface Abandoned extends UsedBy {
  keyId: string;
  durationMs: number;
}

export function isLive<Lease extends Pick<LeaseRecord, 'expiresAt'>>(
  lease: Lease | null | undefined,
  now: Date,
): lease is Lease {
  return !!lease && lease.expiresAt > now;
}

/** Whether an agent or person is at work, which ends with the lease: its record follows only when the end is noticed (settle.ts). */
export function isAtWork(
  { isAiProcessing, lease }: { readonly isAiProcessing: boolean; readonly lease?: LeaseRecord | null },
  now = new Date(),
): boolean {
  return isAiProcessing && (!lease?.unsettledUntil || isLive(lease, now));
}

const SECOND_MS = 1_000;
/** As a part of its term: an agent whose heartbeats are on time is never shown as stalled. */
const STALLS_AFTER = 0.5;

/** From the question on: people answer in their own time, but an agent that is gone does not hold a task forever. */
const AWAITING_INPUT_SECONDS = 24 * 60 * 60;

/** The times of a lease that is granted or renewed now. */
export function termOf(
  now: Date,
  leaseSeconds: number,
  { state = 'working', askedAt = now }: Partial<Pick<LeaseRecord, 'state' | 'askedAt'>> = {},
): Pick<LeaseRecord, 'leaseSeconds' | 'expiresAt' | 'unsettledUntil' | 'stallsAt'> {
  const expiresAt = after(now, leaseSeconds);
  const answeredBy = state === 'awaiting_input' ? after(askedAt, AWAITING_INPUT_SECONDS) : expiresAt;
  const ends = new Date(Math.max(answeredBy.getTime(), expiresAt.getTime()));
  const stallsAt = after(now, leaseSeconds * STALLS_AFTER);
  // An agent that waits for an answer is waited for anyway.
  return { leaseSeconds, expiresAt: ends, unsettledUntil: state === 'working' ? stallsAt : ends, stallsAt };
}

const after = (from: Date, seconds: number) => new Date(from.getTime() + seconds * SECOND_MS);

/** By a heartbeat, or by a claim with its token. */
export function renewed(
  lease: LeaseRecord,
  now: Date,
  leaseSeconds: number,
  reported: Partial<LeaseRecord> = {},
): LeaseRecord {
  const heard = { ...lease, ...reported };
  return { ...heard, ...termOf(now, leaseSeconds, heard) };
}

/** The projection needed to show a lease: not everything that an agent may have left in it. */
export const SHOWN_OF_LEASE = {
  'lease.agent': 1,
  'lease.keyId': 1,
  'lease.claimedAt': 1,
  'lease.expiresAt': 1,
  'lease.unsettledUntil': 1,
  'lease.stallsAt': 1,
  'lease.leaseSeconds': 1,
  'lease.state': 1,
  'lease.note': 1,
  'lease.question': 1,
  'lease.askedAt': 1,
  'lease.progress': 1,
  'lease.report.totalTokens': 1,
} as const;

/** Whether this key made the claim, or the token is the claim's. */
export function isHolder(
  lease: LeaseRecord | null | undefined,
  keyId: string,
  leaseToken?: string,
): lease is LeaseRecord {
  return !!lease && (leaseToken === undefined ? lease.keyId === keyId : lease.token === leaseToken);
}

/** A lease as it is shown; null once it has ended. */
export function shownLease(lease: LeaseRecord | null | undefined, now = new Date()): ShownLease | null {
  if (!isLive(lease, now)) return null;
  // Versions before this one kept only token, key and expiry. Theirs have all ended an hour after the upgrade.
  const { agent = 'unknown', keyId, claimedAt = lease.expiresAt, expiresAt, state = 'working', stallsAt } = lease;
  const lastHeartbeatAt = stallsAt && new Date(stallsAt.getTime() - lease.leaseSeconds * STALLS_AFTER * SECOND_MS);
  return {
    agent,
    keyId,
    claimedAt: claimedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    lastHeartbeatAt: (lastHeartbeatAt ?? claimedAt).toISOString(),
    state,
    stalled: stallsAt !== undefined && stallsAt <= now,
    note: lease.note ?? null,
    progress: lease.progress ?? null,
    question: state === 'awaiting_input' ? (lease.question ?? null) : null,
    tokensSoFar: lease.report?.totalTokens ?? null,
  };
}

/**
 * Whether work may be handed over, apart from what the item's lease says. A token, if given, must be that of the item's lease: live, or
 * expired and not yet claimed by another. Without one, a live lease belongs to the key that claimed.
 * @returns undefined if it may, else what to tell the caller
 */
export function handOverProblem(
  lease: Pick<LeaseRecord, 'token' | 'keyId' | 'agent' | 'expiresAt'> | null | undefined,
  by: { readonly keyId: string; readonly leaseToken: string | undefined },
  now: Date,
): string | undefined {
  if (by.leaseToken !== undefined) {
    if (lease?.token === by.leaseToken) return undefined;
    return 'The lease of leaseToken has ended: the item was completed, moved, released, or claimed by another agent. Read the item before you continue.';
  }
  if (!isLive(lease, now) || lease.keyId === by.keyId) return undefined;
  return `${lease.agent} holds the item until ${lease.expiresAt.toISOString()}. Pass the leaseToken of its claim, wait, or pass takeOver: true.`;
}
