import type { ChannelModel, Options } from 'amqplib';
import { DEAD_LETTERS_MAX, declareQueue } from '../queues.ts';
import type { Log } from '../types.ts';

/** Where every service publishes what happened, by the event's type. Durable, and so is what is published. */
export const EVENTS_EXCHANGE = 'worktrack.events';
/** Where the log tells at once what it has taken in, by organization. What passes by there is in the log: nothing of it is kept. */
export const LIVE_EXCHANGE = 'worktrack.log';
/** All events, for the log. */
export const LOG_QUEUE = 'events.log';
export const LOG_DEAD_QUEUE = 'events.dead';

/** Beyond, the broker refuses more, and the services keep their events in their outboxes: they have a disk for it. */
const LOG_QUEUE_MAX_MESSAGES = 100_000;
/**
 * RabbitMQ 4 drops what was delivered more often than 20 times, and counts what merely lay in the prefetch window of a consumer that died. A
 * message that is at fault itself is put away by its reader. (-1, for none, is refused by RabbitMQ 3.)
 */
const NO_DELIVERY_LIMIT = 1_000_000;

/**
 * A quorum queue, unlike those of RPC (queues.ts): nobody waits for an event and would send it again to another queue, so it must survive the
 * loss of a node, and its queue must be usable while a node is down. A minority of the nodes may be. Without a majority nothing is confirmed, and
 * the outboxes keep the events. The throughput that this costs is not missed: a message holds many events.
 *
 * One consumer at a time takes from it, and the next follows when it is gone.
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

/** By all who publish or take events, whoever is first: an exchange without a queue would lose what it is given. */
export async function declareLog(model: ChannelModel, log: Log): Promise<void> {
  await declareExchange(model, EVENTS_EXCHANGE);
  await declareQueue(model, log, LOG_QUEUE, LOG_QUEUE_OPTIONS);
  // Of this type too, and after it: a node that is killed in the seconds after a quorum queue was first declared does not know that queue when it
  // comes back, unless another one was declared since (RabbitMQ 3.10: it keeps the last name that it has noted in memory).
  await declareQueue(model, log, LOG_DEAD_QUEUE, {
    durable: true,
    maxLength: DEAD_LETTERS_MAX,
    arguments: { 'x-queue-type': 'quorum' },
  });
  const channel = await model.createChannel();
  channel.on('error', (error) => log.debug({ error }, 'The binding was refused'));
  await channel.bindQueue(LOG_QUEUE, EVENTS_EXCHANGE, '#');
  await channel.close();
}

/** Durable, also that of the live feed: publishing to one that a restart of the broker took away would close the channel. */
export async function declareExchange(model: ChannelModel, exchange: string): Promise<void> {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  await channel.assertExchange(exchange, 'topic', { durable: true });
  await channel.close();
}
