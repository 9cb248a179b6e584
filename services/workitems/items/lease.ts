import type { StandardColumn } from '@worktrack/contracts/projects/board';

/** The exclusive right of an agent to work on an item, for a while. Part of the item's record, so that it ends in the same write as its cause. */
export interface LeaseRecord {
  token: string;
  /** The API key that claimed. */
  keyId: string;
  expiresAt: Date;
  /** What a release restores. */
  before: { boardColumnId: string; assignee: string | null; isAiProcessing: boolean };
}

export function isLive(lease: LeaseRecord | null | undefined, now: Date): lease is LeaseRecord {
  return !!lease && lease.expiresAt > now;
}

export function isInProgress(columnName: string): boolean {
  return columnName === ('In Progress' satisfies StandardColumn);
}

/** A move out of `In Progress`, by anybody, ends the lease. */
export function endsLease(toColumn: string): boolean {
  return !isInProgress(toColumn);
}

/**
 * Whether work may be handed over, beside what the item's lease says. A token that is given must be that of the item's lease: live, or
 * expired and not yet claimed by another. Without one, a live lease is for the key that claimed.
 * @returns undefined when it may, else what to tell
 */
export function handOverProblem(
  lease: LeaseRecord | null | undefined,
  by: { readonly keyId: string; readonly leaseToken: string | undefined },
  now: Date,
): string | undefined {
  if (by.leaseToken !== undefined) {
    if (lease?.token === by.leaseToken) return undefined;
    return 'This lease has ended: the item was moved, released, or claimed by another agent. Read the item before you go on.';
  }
  if (!isLive(lease, now) || lease.keyId === by.keyId) return undefined;
  return `Another agent holds the item until ${lease.expiresAt.toISOString()}. Give the leaseToken of its claim, or wait.`;
}
