import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import type { WriteScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import { shownLease } from '../items/lease.ts';

type Listener = (organizationId: string, beat: Beat) => void;

const listeners = new Set<Listener>();

/** @param listener notified of each lease that an agent has renewed through this process. It is not notified again. */
export function onBeat(listener: Listener): void {
  listeners.add(listener);
}

/** Once the write is stored, and not when an earlier one is repeated: what nobody hears at this moment nobody misses. */
export function tellBeat(
  { caller, writes }: Pick<WriteScope, 'caller' | 'writes'>,
  { _id, taskId, projectId }: Pick<ItemRecord, '_id' | 'taskId' | 'projectId'>,
  lease: LeaseRecord,
): void {
  const shown = shownLease(lease);
  if (!shown) return;
  writes.afterwards((outcome) => {
    if (outcome !== 'stored') return;
    for (const listener of listeners)
      listener(caller.organizationId, { workItemId: _id, taskId, projectId, lease: shown });
  });
}
