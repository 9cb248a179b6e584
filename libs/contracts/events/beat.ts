import type { ShownLease } from '../work-items/work-item.ts';

/** How an agent's work on an item goes, as open streams are told of it between the events of the log. Nothing keeps it: the next one says more. */
export interface Beat {
  readonly workItemId: string;
  readonly taskId: string;
  readonly projectId: string;
  readonly lease: ShownLease;
}
