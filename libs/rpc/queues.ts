import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, Options, Replies } from 'amqplib';
import type { Log } from './types.ts';

/**
 * How long a queue outlives its last consumer. A service that restarts within this time finds everything sent to it meanwhile;
 * the queue of one that stays down longer is gone, and `mandatory` publishing says so at once.
 */
export const RESTART_GRACE_MS = 2_000;
/**
 * The same for calls that wait anyway. It is longer than clients take to check on the queue again, which extends its life. So the queue does not end unnoticed
 * while a call waits in it, to be created anew without that call.
 */
const WAITING_GRACE_MS = 5_000;

export const graceMsOf = (lane: LaneName) => (lane === 'waiting' ? WAITING_GRACE_MS : RESTART_GRACE_MS);
const DEAD_LETTER_KEEP_MS = 7 * 24 * 3_600_000;
export const DEAD_LETTERS_MAX = 10_000;

/**
 * `normal`: calls that take milliseconds. `long`: calls that take minutes, in their own queue, so that they never delay the others. `waiting`: calls that wait
 * until there is something to do, all at one replica, which the broker elects (single active consumer), in order of arrival.
 */
export type LaneName = 'normal' | 'long' | 'waiting';

/** See `declareLane`: one more than the number of cluster nodes that may be lost one after the other. */
export const MAX_GENERATIONS = 3;

export interface LaneQueues {
  readonly requests: string;
  /** Items of redelivered messages, one per message. Waiting calls have none: they go to the next replica unchanged, in order. */
  readonly retries?: string;
  readonly dead: string;
}

/** @param generation from 1 to MAX_GENERATIONS */
export function laneQueues(service: string, lane: LaneName, generation: number): LaneQueues {
  const first = lane === 'normal' ? `rpc.${service}` : `rpc.${service}.${lane}`;
  const requests = generation === 1 ? first : `${first}.${generation}`;
  const dead = `rpc.${service}.dead`;
  return lane === 'waiting' ? { requests, dead } : { requests, retries: `${requests}.retry`, dead };
}

/** The queue is on a node that is down: it can be neither used nor redeclared until that node is back. */
export class QueueNodeDown extends Error {}

/**
 * Classic queues with a durable definition and transient messages.
 * - Durable, so that after a broker restart the clients' repeated calls find the queue rather than a 503. (RabbitMQ 4.3 also refuses
 *   transient queues that are not exclusive.)
 * - Transient messages: somebody is waiting for the reply and repeats the call if the broker loses it. A disk write would protect nothing.
 * - Not quorum: they write every message to a log on each node. Even on one node this costs 2 to 2.5 times the broker CPU per call and 1.3 times the latency
 *   (`npm run bench -- rpc --only amqplib,quorum`). They stall without a majority (with two nodes: when either is lost). Their `x-delivery-count` includes
 *   messages that merely were in the prefetch window of a consumer that died, while we count items, not messages: see retries.ts.
 * - Not `autoDelete`: the death of the last consumer would take the waiting calls with it.
 *
 * A classic queue lives on one node of a cluster, and cannot be declared elsewhere while that node is down. A service
 * in that situation continues with the next generation of the queue, declared on a live node, and returns to the first when
 * it can. Clients look for it in the same way (client/queue-watch.ts). Calls in the lost queue are sent again by their waiting callers.
 *
 * The dead-letter queue has the virtual host's default type: `default_queue_type = quorum` preserves it through the loss of a node
 * out of three.
 *
 * @param consumed which of the queues is consumed next
 * @returns whether the queue of requests had neither messages nor consumers, as one that is new: then what was sent before, and is not answered, is lost
 */
export async function declareLane(
  model: ChannelModel,
  lane: LaneName,
  queues: LaneQueues,
  consumed: string,
  log: Log,
): Promise<boolean> {
  const deadLetters = declareQueue(model, log, queues.dead, {
    durable: true,
    messageTtl: DEAD_LETTER_KEEP_MS,
    maxLength: DEAD_LETTERS_MAX,
  }).catch((error: unknown) => {
    if (!(error instanceof QueueNodeDown)) throw error;
    return error;
  });
  const [isUnused, isAway] = await Promise.all([declareRequests(model, lane, queues, consumed, log), deadLetters]);
  // A lane that cannot be declared either is tried again and again, and its channel says so.
  if (isAway instanceof QueueNodeDown)
    log.warn(
      { queue: queues.dead, of: queues.requests },
      'The node with the dead letters is down; until it is back they are only logged',
    );
  return isUnused;
}

async function declareRequests(
  model: ChannelModel,
  lane: LaneName,
  queues: LaneQueues,
  consumed: string,
  log: Log,
): Promise<boolean> {
  const options: Options.AssertQueue = {
    durable: true,
    expires: graceMsOf(lane),
    deadLetterExchange: '',
    deadLetterRoutingKey: queues.dead,
    arguments: { 'x-queue-type': 'classic' },
  };
  if (queues.retries === undefined) {
    const arguments_ = { ...options.arguments, 'x-single-active-consumer': true };
    return await declareQueue(model, log, queues.requests, { ...options, arguments: arguments_ });
  }
  // The one that is consumed next comes last: it ends after RESTART_GRACE_MS without a consumer, and a slow broker takes longer for the other.
  if (consumed !== queues.retries) await declareQueue(model, log, queues.retries, options);
  const isUnused = await declareQueue(model, log, queues.requests, options);
  if (consumed === queues.retries) await declareQueue(model, log, queues.retries, options);
  return isUnused;
}

/** Whether there is such a queue on a live node, and what it has. */
export async function lookAtQueue(
  model: ChannelModel,
  queue: string,
): Promise<'absent' | 'down' | { messages: number; consumers: number }> {
  try {
    const { messageCount, consumerCount } = await answerOf(model, queue, 'look', (channel) =>
      channel.checkQueue(queue),
    );
    return { messages: messageCount, consumers: consumerCount };
  } catch (error) {
    if (error instanceof QueueNodeDown) return 'down';
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
    return 'absent';
  }
}

const NOT_FOUND = 404;

/**
 * RabbitMQ 3.10 says at once that the node of a queue is down. RabbitMQ 4 looks for the queue for a minute before it reports a timeout, so a node that does not
 * answer for this long is taken to be down. That is less than a call waits for its answer. With a broker that is merely slow, this costs a queue more, and the
 * answer comes after all: the next wait for the same answer is twice as long. Giving up again and again would only burden such a broker further.
 */
const ANSWER_MS = 2_000;
const LONGEST_ANSWER_MS = 8_000;
const NODE_DOWN = /is down or inaccessible|due to timeout|is stopped by supervisor/;

/** What has been asked and not answered, by connection. Asked again and again, it would be a channel more each time. */
const unanswered = new WeakMap<ChannelModel, Map<string, Promise<Replies.AssertQueue>>>();
/** How long what was answered late is waited for. */
const patienceMs = new WeakMap<ChannelModel, Map<string, number>>();

/** @throws QueueNodeDown */
async function answerOf(
  model: ChannelModel,
  queue: string,
  question: 'look' | 'declare',
  ask: (channel: Channel) => Promise<Replies.AssertQueue>,
): Promise<Replies.AssertQueue> {
  const questions = unanswered.get(model) ?? new Map<string, Promise<Replies.AssertQueue>>();
  unanswered.set(model, questions);
  const key = `${question} ${queue}`;
  const answer = questions.get(key) ?? onOwnChannel(model, ask).finally(() => questions.delete(key));
  questions.set(key, answer);
  const isAnswered = new AbortController();
  const patience = patienceMs.get(model) ?? new Map<string, number>();
  patienceMs.set(model, patience);
  const answerMs = patience.get(key) ?? ANSWER_MS;
  const isLate = sleep(answerMs, undefined, { ref: false, signal: isAnswered.signal }).then(() => {
    const isSlow = () => patience.set(key, Math.min(2 * answerMs, LONGEST_ANSWER_MS));
    answer.then(isSlow, (error) => isNodeDown(error) || isSlow());
    throw new QueueNodeDown(`The broker does not say anything about ${queue}: its node is down.`);
  });
  try {
    return await Promise.race([answer, isLate]);
  } catch (error) {
    throw isNodeDown(error) ? new QueueNodeDown(`The node of ${queue} is down.`, { cause: error }) : error;
  } finally {
    isAnswered.abort();
    // Whichever comes later is of interest to nobody.
    isLate.catch(() => {});
    answer.catch(() => {});
  }
}

function isNodeDown(error: unknown): boolean {
  return error instanceof Error && NODE_DOWN.test(error.message);
}

const PRECONDITION_FAILED = 406;

/**
 * The broker refuses it if the queue exists with different arguments, as during a rolling update that changes them. The queue is then used as it is, and gets
 * its new arguments once all replicas of the old version are gone.
 * @returns whether it had neither messages nor consumers
 */
export async function declareQueue(
  model: ChannelModel,
  log: Log,
  queue: string,
  options: Options.AssertQueue,
): Promise<boolean> {
  try {
    const { messageCount, consumerCount } = await answerOf(model, queue, 'declare', (channel) =>
      channel.assertQueue(queue, options),
    );
    return messageCount === 0 && consumerCount === 0;
  } catch (error) {
    if ((error as { code?: unknown }).code !== PRECONDITION_FAILED) throw error;
    log.warn({ error, queue }, 'The queue has other arguments; it is used as it is');
    return false;
  }
}

/** The broker closes the channel on anything it refuses, so it is one that nothing else uses. */
export async function onOwnChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await model.createChannel();
  // What was refused rejects the work.
  channel.on('error', () => {});
  const result = await work(channel);
  await channel.close();
  return result;
}
