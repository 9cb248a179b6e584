import { heads } from '../../log/heads.repository.ts';
import { waitingAt } from '../deliveries/deliveries.repository.ts';
import { tellBacklog } from '../deliveries/metrics.ts';
import { firstDue } from '../webhooks.repository.ts';

/** How many webhooks are examined: those that have been due longest, then those that will be soonest. */
const MEASURED = 20;

/** Reports what is waiting to be sent to the metrics, and what has not been looked through for it in the log. */
export async function measureBacklog(): Promise<void> {
  const nowMs = Date.now();
  const due = await firstDue(MEASURED);
  const ends = await heads([...new Set(due.map(({ organizationId }) => organizationId))]);
  const waiting = await Promise.all(
    due.map(async ({ _id, organizationId, cursor }) => {
      const { count, oldestAt } = await waitingAt({ caller: { organizationId } }, _id);
      const end = ends.get(organizationId)?.seq ?? cursor;
      return { _id, count: count + Math.max(0, end - cursor), oldestAt };
    }),
  );
  tellBacklog(waiting, nowMs);
}
