import { endInFlight } from '../budgets/budgets.repository.ts';
import type { WriteScope } from '../calls/scope.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { Abandoned } from '../items/lease.model.ts';
import { insertSession } from '../sessions/sessions.repository.ts';

const SESSION_TYPE = 'abandoned';

/** Records what a lease's heartbeats have reported, if anything: it will not be completed, and nothing that was spent is lost. */
export function abandonSession(
  scope: WriteScope,
  item: Pick<ItemRecord, '_id' | 'taskId' | 'projectId' | 'foundBy' | 'lease'>,
): { readonly events: NewEvent[]; readonly abandoned?: Abandoned } {
  const { _id, taskId, projectId, lease } = item;
  if (!lease?.report) return { events: [] };
  const { at, model, provider, earlier, paidMicrodollars: _, ...used } = lease.report;
  const durationMs = Math.max(0, at.getTime() - lease.claimedAt.getTime());
  endInFlight(scope, item, used.costMicrodollars ?? 0);
  const session = insertSession(scope, {
    ...used,
    ...{ projectId, workItemId: _id, taskId, aiModel: model, provider, durationMs },
    sessionType: SESSION_TYPE,
    agent: lease.agent,
    run: lease.run,
    ...(lease.beats && { heartbeats: lease.beats }),
    keyId: lease.keyId,
    createdAt: new Date(),
  });
  return {
    events: [{ type: 'work_item.ai_session', data: { ...session } }],
    abandoned: { ...used, model, provider, ...(earlier && { earlier }), durationMs, keyId: lease.keyId },
  };
}
