import { connect } from 'amqplib';

/** Plain amqplib at its best: direct reply-to, no acknowledgements, no Nagle, a transient queue, one message per call. */
export const { serve, connectTo } = plainly('bench.amqplib', { durable: false, autoDelete: true });

/** @param options of the request queue */
export function plainly(queue, options) {
  return {
    serve: (side) => serveFrom(queue, options, side),
    connectTo: (side) => connectBy(queue, side),
  };
}

async function serveFrom(queue, options, { url, respond }) {
  const channel = await (await connect(url, { noDelay: true })).createChannel();
  await channel.assertQueue(queue, options);
  const answer = ({ content, properties }) => {
    const output = respond(JSON.parse(content.toString()));
    channel.publish('', properties.replyTo, Buffer.from(JSON.stringify(output)), {
      correlationId: properties.correlationId,
    });
  };
  await channel.consume(queue, answer, { noAck: true });
  return {};
}

async function connectBy(queue, { url }) {
  const channel = await (await connect(url, { noDelay: true })).createChannel();
  const pending = new Map();
  let lastId = 0;
  const settle = ({ content, properties }) => {
    pending.get(properties.correlationId)(JSON.parse(content.toString()));
    pending.delete(properties.correlationId);
  };
  await channel.consume('amq.rabbitmq.reply-to', settle, { noAck: true });
  return {
    call: (input) =>
      new Promise((resolve) => {
        const correlationId = String(++lastId);
        pending.set(correlationId, resolve);
        channel.publish('', queue, Buffer.from(JSON.stringify(input)), {
          correlationId,
          replyTo: 'amq.rabbitmq.reply-to',
        });
      }),
  };
}
