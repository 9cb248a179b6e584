import type { ChannelModel, Options } from 'amqplib';
import { DEAD_LETTERS_MAX, declareQueue, onOwnChannel } from '../queues.ts';
import type { Log } from '../types.ts';

/** Where every service publishes what happened, by the event's type. Durable, and so are its messages. */
export const EVENTS_EXCHANGE = 'worktrack.events';
/**
 * Where the log immediately announces what it has taken in, by organization, and `workitems` the heartbeats of leases. None of it is kept: events are in the
 * log, and each heartbeat replaces the one before.
 */
export const LIVE_EXCHANGE = 'worktrack.log';
/** All events, for the log. */
export const LOG_QUEUE = 'events.log';
export const LOG_DEAD_QUEUE = 'events.dead';

/** Beyond this the broker refuses more, and the services keep their events in their outboxes: those are on disk. */
const LOG_QUEUE_MAX_MESSAGES = 100_000;
/**
 * RabbitMQ 4 drops what was delivered more than 20 times, and counts even what merely sat in the prefetch window of a consumer that died. A
 * message that is itself at fault is set aside by its reader. (-1, for no limit, is refused by RabbitMQ 3.)
 */
const NO_DELIVERY_LIMIT = 1_000_000;

/**
 * A quorum queue, unlike those for RPC (queues.ts). Nobody waits for an event and would resend it to another queue, so the event must survive the loss of a
 * node. The queue must also stay usable while a minority of the nodes is down. Without a majority nothing is confirmed, and the outboxes keep the events. The
 * lost throughput does not matter: a message holds many events.
 *
 * One consumer at a time takes from it, and the next takes over when it is gone.
 */
const LOG_QUEUE_OPTIONS: Options.AssertQueue = {
  durable: true,
  maxLength: LOG_QUEUE_MAX_MESSAGES,
  deadLetterExchange: '',
  deadLetterRoutingKey: LOG_DEAD_QUEUE,
  arguments: {
    'x-queue-type': 'quorum',
    'x-single-active-consumer': true,
    'x-overflow': 'reject-publish',
    'x-delivery-limit': NO_DELIVERY_LIMIT,
  },
};

/**
 * Declared by the service that keeps the log, the only one permitted to (docker-compose.yml). The exchanges are durable, the live feed's too: publishing to one
 * that a broker restart has removed would close the channel.
 */
export async function declareLog(model: ChannelModel, log: Log): Promise<void> {
  await declareQueue(model, log, LOG_QUEUE, LOG_QUEUE_OPTIONS);
  // Also a quorum queue, and declared after the other one. A node that is killed in the seconds after a quorum queue was first declared does not know that
  // queue when it comes back, unless another one was declared since. RabbitMQ 3.10 keeps the last name that it noted in memory only.
  await declareQueue(model, log, LOG_DEAD_QUEUE, {
    durable: true,
    maxLength: DEAD_LETTERS_MAX,
    arguments: { 'x-queue-type': 'quorum' },
  });
  await onOwnChannel(model, async (channel) => {
    await channel.assertExchange(EVENTS_EXCHANGE, 'topic', { durable: true });
    await channel.bindQueue(LOG_QUEUE, EVENTS_EXCHANGE, '#');
    // Last: whoever finds it (`checkLog`) publishes, and the queue has to be bound by then.
    await channel.assertExchange(LIVE_EXCHANGE, 'topic', { durable: true });
  });
}

/**
 * @returns whether anybody consumes from the log's queue
 * @throws if any of what `declareLog` declares is missing, apart from the binding, which this makes again
 */
export function isLogConsumed(model: ChannelModel): Promise<boolean> {
  return onOwnChannel(model, async (channel) => {
    await channel.bindQueue(LOG_QUEUE, EVENTS_EXCHANGE, '#');
    await channel.checkExchange(LIVE_EXCHANGE);
    await channel.checkQueue(LOG_DEAD_QUEUE);
    const { consumerCount } = await channel.checkQueue(LOG_QUEUE);
    return consumerCount > 0;
  });
}

/** @throws until the log exists: what is published to an exchange with no queue is silently lost */
export function checkLog(model: ChannelModel): Promise<void> {
  return onOwnChannel(model, async (channel) => {
    await channel.checkExchange(EVENTS_EXCHANGE);
    await channel.checkExchange(LIVE_EXCHANGE);
    await channel.checkQueue(LOG_QUEUE);
  });
}
