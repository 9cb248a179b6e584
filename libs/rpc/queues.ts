import type { Channel, Options } from 'amqplib';

/**
 * How long a queue outlives its last consumer. A service that is restarted within this time finds all that was asked of it meanwhile;
 * one that stays away longer is gone, and `mandatory` publishing says so at once.
 */
export const RESTART_GRACE_MS = 2_000;
const DEAD_LETTER_KEEP_MS = 7 * 24 * 3_600_000;
const DEAD_LETTERS_MAX = 10_000;

/** `normal`: what is answered in milliseconds. `long`: minutes, in a queue of its own, so that it never holds up the others. */
export type LaneName = 'normal' | 'long';

export interface LaneQueues {
  readonly requests: string;
  /** Items of redelivered messages, one to a message. */
  readonly retries: string;
  readonly dead: string;
}

export function laneQueues(service: string, lane: LaneName): LaneQueues {
  const requests = lane === 'long' ? `rpc.${service}.long` : `rpc.${service}`;
  return { requests, retries: `${requests}.retry`, dead: `rpc.${service}.dead` };
}

/**
 * Classic queues with a durable definition and transient messages.
 * - Durable, so that after a restart of the broker the repeated calls of the clients find the queue and not a 503. (RabbitMQ 4 also ends
 *   support for transient queues that are not exclusive.)
 * - Transient messages: somebody waits for the answer and repeats the call when the broker loses it. A disk write would protect nothing.
 * - Not quorum: they write every message to a log on each node, and their `x-delivery-count` counts what merely lay in the prefetch
 *   window of a consumer that died. We count items, not messages: see retries in server.ts.
 * - Not `autoDelete`: the death of the last consumer would take the waiting calls with it.
 */
export async function declareLane(channel: Channel, queues: LaneQueues): Promise<void> {
  await channel.assertQueue(queues.dead, {
    durable: true,
    messageTtl: DEAD_LETTER_KEEP_MS,
    maxLength: DEAD_LETTERS_MAX,
  });
  const options: Options.AssertQueue = {
    durable: true,
    expires: RESTART_GRACE_MS,
    deadLetterExchange: '',
    deadLetterRoutingKey: queues.dead,
  };
  await channel.assertQueue(queues.requests, options);
  await channel.assertQueue(queues.retries, options);
}
