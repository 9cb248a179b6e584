import type { ShownLease } from '@worktrack/contracts/work-items/work-item';
import type { LeaseRecord } from './lease.model.ts';

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
  { state = 'working', question, askedAt = now }: Partial<Pick<LeaseRecord, 'state' | 'question' | 'askedAt'>> = {},
): Pick<LeaseRecord, 'leaseSeconds' | 'expiresAt' | 'unsettledUntil' | 'stallsAt'> {
  const expiresAt = after(now, leaseSeconds);
  const isAsking = state === 'awaiting_input' && question !== undefined;
  const answeredBy = isAsking ? after(askedAt, AWAITING_INPUT_SECONDS) : expiresAt;
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
  const { agent, keyId, claimedAt, expiresAt, state, stallsAt, leaseSeconds } = lease;
  return {
    agent,
    keyId,
    claimedAt: claimedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    lastHeartbeatAt: after(stallsAt, -leaseSeconds * STALLS_AFTER).toISOString(),
    state,
    stalled: stallsAt <= now,
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
