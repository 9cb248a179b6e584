import type { ShownLease } from '@worktrack/contracts/work-items/work-item';

/** Whether a heartbeat has news about a lease: it may arrive after the lease's end, and after an answer that already includes it. */
export function isNews(told: ShownLease, shown: ShownLease | null): boolean {
  return shown?.claimedAt === told.claimedAt && shown.lastHeartbeatAt < told.lastHeartbeatAt;
}
