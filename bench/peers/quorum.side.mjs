import { plainly } from './amqplib.side.mjs';

/** What a quorum queue costs a call: all else as plain amqplib. It writes each message to a log, on one node or on several. */
export const { serve, connectTo } = plainly('bench.quorum', {
  durable: true,
  arguments: { 'x-queue-type': 'quorum', 'x-expires': 10_000 },
});
