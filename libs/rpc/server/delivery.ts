import type { RequestItem } from '../message/envelope.ts';
import type { LaneQueues } from '../queues.ts';

/** A message under way. It is acknowledged once each of its items is answered. */
export interface Delivery {
  readonly queues: LaneQueues;
  readonly replyTo: string;
  openItems: number;
  /** On the channel that it came by: a delivery tag means something there only. */
  readonly acknowledge: () => void;
  /** Sends an item on to another queue, on that same channel, so that the broker takes both this and the acknowledgement, in this order, or neither. */
  readonly forward: (
    queue: string,
    content: Buffer,
    options: { readonly replyTo?: string; readonly persistent?: boolean },
  ) => void;
}

/** One call under way. */
export interface Item {
  readonly request: RequestItem;
  readonly delivery: Delivery;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
  isClosed: boolean;
}
