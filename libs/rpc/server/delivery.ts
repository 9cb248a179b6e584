import type { RequestItem } from '../message/envelope.ts';
import type { LaneQueues } from '../queues.ts';
import type { ServedTrace, Waiting } from '../types.ts';

/** A message in progress. It is acknowledged once all of its items are answered. */
export interface Delivery {
  readonly queues: LaneQueues;
  readonly replyTo: string;
  openItems: number;
  /** The channel that it arrived on: if that is lost, the delivery goes to another consumer. */
  readonly by: object;
  /** On the channel that it arrived on: a delivery tag is meaningful only there. */
  readonly acknowledge: () => void;
  /** Forwards an item to another queue, on the same channel, so that the broker accepts both this and the acknowledgement, in this order, or neither. */
  readonly forward: (
    queue: string,
    content: Buffer,
    options: { readonly replyTo?: string; readonly persistent?: boolean },
  ) => void;
}

/** A call in progress. */
export interface Item {
  /** In this process, once it runs. */
  id: number;
  readonly request: RequestItem;
  readonly delivery: Delivery;
  readonly startedAtMs: number;
  deadlineAtMs: number;
  isClosed: boolean;
  /** Once it runs, if calls are traced. */
  trace: ServedTrace | undefined;
  /** For a call that may wait. */
  readonly waiting?: Waiting;
  /** Called when it is answered, or no longer needs an answer from here. */
  readonly closed?: () => void;
}
