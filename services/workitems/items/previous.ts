import type { PreviousWork } from '@worktrack/contracts/work-items/agents/leases';
import type { Role } from '../boards/progress.ts';
import type { ItemRecord, Previous } from './items.model.ts';
import { isLive } from './lease.ts';

const TAKEN_UP_NO_MORE: readonly Role[] = ['to_document', 'done'];

type Worked = Pick<ItemRecord, 'lease' | 'previous'>;

/**
 * What remains of a lease that a change has ended.
 * @param why unless the lease had already expired
 * @returns undefined if it stays unchanged
 */
export function previousAfter(
  before: Worked,
  after: Pick<ItemRecord, 'lease'> & { readonly role: Role },
  why: PreviousWork['endedBecause'],
  now: Date,
): Previous | null | undefined {
  if (TAKEN_UP_NO_MORE.includes(after.role)) return before.previous ? null : undefined;
  const { lease } = before;
  if (!lease || lease.token === after.lease?.token) return undefined;
  return {
    agent: lease.agent,
    endedBecause: why === 'completed' || isLive(lease, now) ? why : 'expired',
    note: lease.note ?? null,
    checkpoint: lease.checkpoint ?? before.previous?.checkpoint ?? null,
    at: now,
  };
}

export function shownPrevious({ agent, endedBecause, note, checkpoint, at }: Previous): PreviousWork {
  return {
    agent,
    endedBecause,
    note,
    checkpoint: checkpoint === null ? null : JSON.parse(checkpoint),
    at: at.toISOString(),
  };
}
