import type { Channel, ConsumeMessage } from 'amqplib';
import { consume } from '../channel.ts';

/** RabbitMQ's direct reply-to: replies go straight to the channel that asked, bypassing any queue. */
export const DIRECT_REPLY_TO = 'amq.rabbitmq.reply-to';

/** What the broker replaces it with for the responder: the requester's channel, in base64. */
const REPLY_ADDRESS = /^amq\.rabbitmq\.reply-to\.[A-Za-z0-9+/=._-]{8,400}$/;

/** Whether an address is a reply address rather than the name of a queue, which a message could otherwise make us publish to. */
export function isReplyAddress(value: unknown): value is string {
  return typeof value === 'string' && REPLY_ADDRESS.test(value);
}

/** Receives the replies to messages published on this channel. */
export async function consumeReplies(channel: Channel, received: (message: ConsumeMessage) => void): Promise<void> {
  await consume(channel, DIRECT_REPLY_TO, received, { noAck: true });
}
