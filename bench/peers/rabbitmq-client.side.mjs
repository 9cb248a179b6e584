import { Connection } from 'rabbitmq-client';

const QUEUE = 'bench.rabbitmq-client';

export async function serve({ url, respond }) {
  const connection = new Connection({ url, noDelay: true });
  const consumer = connection.createConsumer(
    { queue: QUEUE, queueOptions: { durable: false, autoDelete: true }, noAck: true },
    async (request, reply) => {
      await reply(respond(request.body));
    },
  );
  await new Promise((resolve) => consumer.once('ready', resolve));
  return {};
}

export async function connectTo({ url }) {
  const connection = new Connection({ url, noDelay: true });
  const client = connection.createRPCClient({});
  return { call: async (input) => (await client.send(QUEUE, input)).body };
}
