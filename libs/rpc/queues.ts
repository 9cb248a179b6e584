import type { ChannelModel, Options } from 'amqplib';
import type { Log } from './types.ts';

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
export async function declareLane(model: ChannelModel, queues: LaneQueues, log: Log): Promise<void> {
  await declare(model, log, queues.dead, {
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
  await declare(model, log, queues.requests, options);
  await declare(model, log, queues.retries, options);
}

const PRECONDITION_FAILED = 406;

/**
 * On a channel of its own, which the broker closes when the queue is there with other arguments. That is so during a rolling update that
 * changes them: the queue is then used as it is, and gets its new arguments once all replicas of the old version have gone.
 */
async function declare(model: ChannelModel, log: Log, queue: string, options: Options.AssertQueue): Promise<void> {
  const channel = await model.createChannel();
  channel.on('error', (error) => log.debug({ error, queue }, 'The declaration was refused'));
  try {
    await channel.assertQueue(queue, options);
  } catch (error) {
    if ((error as { code?: unknown }).code !== PRECONDITION_FAILED) throw error;
    log.warn({ error, queue }, 'The queue has other arguments; it is used as it is');
    return;
  }
  await channel.close();
}
