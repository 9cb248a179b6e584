import { waitingAt } from './deliveries.repository.ts';
import { tellBacklog } from './metrics.ts';
import type { Place } from './webhooks.repository.ts';

/** How many webhooks are examined: those that have been due longest, then those that will be soonest. */
const MEASURED = 20;

/** Reports what is waiting to be sent to the metrics. */
export async function measureBacklog(places: readonly Place[]): Promise<void> {
  const nowMs = Date.now();
  const due = places
    .filter(({ dueAt }) => dueAt !== null)
    .sort((a, b) => (a.dueAt?.getTime() ?? 0) - (b.dueAt?.getTime() ?? 0))
    .slice(0, MEASURED);
  const waiting = await Promise.all(
    due.map(async ({ _id, organizationId }) => ({ _id, ...(await waitingAt({ caller: { organizationId } }, _id)) })),
  );
  tellBacklog(waiting, nowMs);
}
