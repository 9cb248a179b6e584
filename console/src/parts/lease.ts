import type { ShownLease } from '@worktrack/contracts/work-items/work-item';

/** Whether a heartbeat tells more of a lease than is shown: it may come after the lease's end, and after an answer that knows it already. */
export function isNews(told: ShownLease, shown: ShownLease | null): boolean {
  return shown?.claimedAt === told.claimedAt && shown.lastHeartbeatAt < told.lastHeartbeatAt;
}
