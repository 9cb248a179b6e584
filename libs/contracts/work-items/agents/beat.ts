import type { ShownLease } from '../work-item.ts';

/** How an agent's work on an item is going, as sent to open streams between the events of the log. It is not stored: the next one replaces it. */
export interface Beat {
  readonly workItemId: string;
  readonly taskId: string;
  readonly projectId: string;
  readonly lease: ShownLease;
}
