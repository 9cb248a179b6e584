import type { RequestItem } from '../message/envelope.ts';
import type { LaneQueues } from '../queues.ts';
import type { Waiting } from '../types.ts';

/** A message under way. It is acknowledged once each of its items is answered. */
export interface Delivery {
  readonly queues: LaneQueues;
  readonly replyTo: string;
  openItems: number;
  /** The channel that it came by: with it, the delivery goes to another consumer. */
  readonly by: object;
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
  deadlineAtMs: number;
  isClosed: boolean;
  /** Of a call that may wait. */
  readonly waiting?: Waiting;
  /** Told when it is answered, or needs no answer from here any more. */
  readonly closed?: () => void;
}
