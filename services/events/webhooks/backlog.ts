import { waitingAt } from './deliveries.repository.ts';
import { tellBacklog } from './metrics.ts';
import type { Place } from './webhooks.repository.ts';

/** How many webhooks are examined: those that have been due longest, then those that will be soonest. */
const MEASURED = 20;

/**
 * Reports what is waiting to be sent to the metrics.
 * @param places `behind`: how many events of the log have not been looked through for it
 */
export async function measureBacklog(places: readonly (Place & { readonly behind: number })[]): Promise<void> {
  const nowMs = Date.now();
  const due = places
    .filter(({ dueAt }) => dueAt !== null)
    .sort((a, b) => (a.dueAt?.getTime() ?? 0) - (b.dueAt?.getTime() ?? 0))
    .slice(0, MEASURED);
  const waiting = await Promise.all(
    due.map(async ({ _id, organizationId, behind }) => {
      const { count, oldestAt } = await waitingAt({ caller: { organizationId } }, _id);
      return { _id, count: count + behind, oldestAt };
    }),
  );
  tellBacklog(waiting, nowMs);
}
