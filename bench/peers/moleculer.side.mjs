import { ServiceBroker } from 'moleculer';

const broker = (url, nodeID) =>
  new ServiceBroker({
    nodeID,
    logger: false,
    metrics: false,
    tracing: false,
    // Its default is one message at a time, and Nagle.
    transporter: { type: 'AMQP', options: { url, prefetch: 0, socketOptions: { noDelay: true } } },
    validator: false,
    internalServices: false,
    internalMiddlewares: true,
  });

export async function serve({ url, respond }) {
  const node = broker(url, `server-${process.pid}`);
  node.createService({ name: 'items', actions: { get: (context) => respond(context.params) } });
  await node.start();
  return {};
}

export async function connectTo({ url }) {
  const node = broker(url, `client-${process.pid}`);
  await node.start();
  await node.waitForServices('items');
  return { call: (input) => node.call('items.get', input) };
}
