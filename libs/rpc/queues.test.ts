import type { ChannelModel } from 'amqplib';
import { expect, test } from 'vitest';
import { lookAtQueue } from './queues.ts';

/** A connection to a broker that refuses whatever is asked of a queue with this text, and closes the channel, as RabbitMQ does. */
function refusing(text: string): ChannelModel {
  const error = Object.assign(new Error(`Operation failed: QueueDeclare; 404 (NOT-FOUND) with message "${text}"`), {
    code: 404,
  });
  const channel = { on: () => {}, checkQueue: () => Promise.reject(error) };
  return { createChannel: async () => channel } as unknown as ChannelModel;
}

test.each([
  ['absent', "NOT_FOUND - no queue 'q' in vhost '/'"],
  // RabbitMQ 3.10, once a node was killed.
  ['down', "NOT_FOUND - home node 'rabbit@one' of durable queue 'q' in vhost '/' is down or inaccessible"],
  // RabbitMQ 4, a minute after it was killed; and as long as a node is away that was stopped in order, as in a rolling restart.
  ['down', "NOT_FOUND - failed to perform operation on queue 'q' in vhost '/' due to timeout"],
  ['down', "NOT_FOUND - queue 'q' in vhost '/' process is stopped by supervisor"],
])('a queue is %s of which the broker says: %s', async (state, text) => {
  expect(await lookAtQueue(refusing(text), 'q')).toBe(state);
});
