import { connect } from 'amqplib';

const QUEUE = 'bench.amqplib';

/** Plain amqplib at its best: direct reply-to, no acknowledgements, no Nagle, a transient queue, one message for each call. */
export async function serve({ url, respond }) {
  const channel = await (await connect(url, { noDelay: true })).createChannel();
  await channel.assertQueue(QUEUE, { durable: false, autoDelete: true });
  const answer = ({ content, properties }) => {
    const output = respond(JSON.parse(content.toString()));
    channel.publish('', properties.replyTo, Buffer.from(JSON.stringify(output)), {
      correlationId: properties.correlationId,
    });
  };
  await channel.consume(QUEUE, answer, { noAck: true });
  return {};
}

export async function connectTo({ url }) {
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
        channel.publish('', QUEUE, Buffer.from(JSON.stringify(input)), {
          correlationId,
          replyTo: 'amq.rabbitmq.reply-to',
        });
      }),
  };
}
