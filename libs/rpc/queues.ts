import type { ChannelModel, Options } from 'amqplib';
import type { Log } from './types.ts';

/**
 * How long a queue outlives its last consumer. A service that is restarted within this time finds all that was asked of it meanwhile;
 * one that stays down longer is gone, and `mandatory` publishing says so at once.
 */
export const RESTART_GRACE_MS = 2_000;
const DEAD_LETTER_KEEP_MS = 7 * 24 * 3_600_000;
const DEAD_LETTERS_MAX = 10_000;

/** `normal`: what is answered in milliseconds. `long`: minutes, in a queue of its own, so that it never holds up the others. */
export type LaneName = 'normal' | 'long';

/** See `declareLane`: as many nodes of a cluster as may be lost one after the other, and one. */
export const MAX_GENERATIONS = 3;

export interface LaneQueues {
  readonly requests: string;
  /** Items of redelivered messages, one to a message. */
  readonly retries: string;
  readonly dead: string;
}

/** @param generation from 1 to MAX_GENERATIONS */
export function laneQueues(service: string, lane: LaneName, generation: number): LaneQueues {
  const first = lane === 'long' ? `rpc.${service}.long` : `rpc.${service}`;
  const requests = generation === 1 ? first : `${first}.${generation}`;
  return { requests, retries: `${requests}.retry`, dead: `rpc.${service}.dead` };
}

/** The queue is on a node that is down: it can be neither used nor declared anew until that node is back. */
export class QueueNodeDown extends Error {}

/**
 * Classic queues with a durable definition and transient messages.
 * - Durable, so that after a restart of the broker the repeated calls of the clients find the queue and not a 503. (RabbitMQ 4.3 also refuses
 *   transient queues that are not exclusive.)
 * - Transient messages: somebody waits for the answer and repeats the call when the broker loses it. A disk write would protect nothing.
 * - Not quorum: they write every message to a log on each node, which costs a call 2 to 2.5 times the broker's CPU and 1.3 times its time already on one
 *   node (`npm run bench -- rpc --only amqplib,quorum`), stall without a majority (with two nodes: at the loss of either), and their
 *   `x-delivery-count` counts what merely lay in the prefetch window of a consumer that died. We count items, not messages: see retries.ts.
 * - Not `autoDelete`: the death of the last consumer would take the waiting calls with it.
 *
 * A classic queue lives on one node of a cluster, and nobody can declare it elsewhere while that node is down ("home node is down"). A service
 * that finds it so goes on with the next generation of the queue, which is then made on a node that is there, and comes back to the first when
 * it can. Clients look for it likewise (client/queue-watch.ts). What was in the lost queue is asked for again by whoever waits for its answer.
 *
 * Dead letters are of the type that is the default of the virtual host: `default_queue_type = quorum` keeps them through the loss of a node,
 * where there are three.
 */
export async function declareLane(model: ChannelModel, queues: LaneQueues, log: Log): Promise<void> {
  await declare(model, log, queues.dead, {
    durable: true,
    messageTtl: DEAD_LETTER_KEEP_MS,
    maxLength: DEAD_LETTERS_MAX,
  }).catch((error) => {
    if (!(error instanceof QueueNodeDown)) throw error;
    log.warn({ queue: queues.dead }, 'The node with the dead letters is down; until it is back they are only logged');
  });
  const options: Options.AssertQueue = {
    durable: true,
    expires: RESTART_GRACE_MS,
    deadLetterExchange: '',
    deadLetterRoutingKey: queues.dead,
    arguments: { 'x-queue-type': 'classic' },
  };
  await declare(model, log, queues.requests, options);
  await declare(model, log, queues.retries, options);
}

/** Whether there is such a queue on a node that is up, and how many consumers it has. */
export async function lookAtQueue(
  model: ChannelModel,
  queue: string,
): Promise<'absent' | 'down' | { consumers: number }> {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  try {
    const { consumerCount } = await channel.checkQueue(queue);
    await channel.close();
    return { consumers: consumerCount };
  } catch (error) {
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
    return isNodeDown(error) ? 'down' : 'absent';
  }
}

const NOT_FOUND = 404;
function isNodeDown(error: unknown): boolean {
  return error instanceof Error && /is down or inaccessible/.test(error.message);
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
    if (isNodeDown(error)) throw new QueueNodeDown(`The node of ${queue} is down.`, { cause: error });
    if ((error as { code?: unknown }).code !== PRECONDITION_FAILED) throw error;
    log.warn({ error, queue }, 'The queue has other arguments; it is used as it is');
    return;
  }
  await channel.close();
}
