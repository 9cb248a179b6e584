import { waitingAt } from './deliveries.repository.ts';
import { tellBacklog } from './metrics.ts';
import type { Place } from './webhooks.repository.ts';

/** Webhooks that are looked at: those that have been due for longest. */
const MEASURED = 20;

/** Lets the metrics say what waits to be sent. */
export async function measureBacklog(places: readonly Place[]): Promise<void> {
  const nowMs = Date.now();
  const due = places
    .filter(({ dueAt }) => dueAt !== null && dueAt.getTime() <= nowMs)
    .sort((a, b) => (a.dueAt?.getTime() ?? 0) - (b.dueAt?.getTime() ?? 0))
    .slice(0, MEASURED);
  const waiting = await Promise.all(
    due.map(async ({ _id, organizationId }) => ({ _id, ...(await waitingAt({ caller: { organizationId } }, _id)) })),
  );
  tellBacklog(waiting, nowMs);
}
