import type { PreviousWork } from '@worktrack/contracts/work-items/agents/leases';
import type { WriteScope } from '../calls/scope.ts';
import { type NewEvent, record } from '../history/history.repository.ts';
import type { ToldItem } from '../history/tell.ts';
import type { ItemRecord } from '../items/items.model.ts';

import type { LeaseRecord } from '../items/lease.model.ts';
import { isLive } from '../items/lease.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { abandonSession } from './abandoned.ts';

export const hasEnded = (item: Pick<ItemRecord, 'lease'>, after: Pick<ItemRecord, 'lease'>) =>
  item.lease?.token !== after.lease?.token;

/** For a lease that has expired unreported (settle.ts), by the write that ends it. */
export function recordExpiry(scope: WriteScope, item: ToldItem): void {
  if (item.lease?.unsettledUntil && !isLive(item.lease, new Date())) {
    record({ ...scope, by: 'service' }, { ...item, revision: item.revision + 1 }, [expiry(item.lease)]);
  }
}

export function expiry({ agent, keyId, expiresAt }: LeaseRecord): NewEvent {
  return { type: 'work_item.lease_expired', data: { agent, keyId, expiresAt } };
}

/** What an agent reported about its work in heartbeats, and nobody completed, is a session of its own: nothing that was spent is lost. */
export function abandoned(
  scope: WriteScope,
  item: ItemOutline,
  after: Pick<ItemRecord, 'lease'>,
  why: PreviousWork['endedBecause'],
): ReturnType<typeof abandonSession> {
  return why === 'completed' || !hasEnded(item, after) ? { events: [] } : abandonSession(scope, item);
}
