import { plainly } from './amqplib.side.mjs';

/** What a quorum queue costs per call: everything else is as in plain amqplib. It writes each message to a log, on one node or several. */
export const { serve, connectTo } = plainly('bench.quorum', {
  durable: true,
  arguments: { 'x-queue-type': 'quorum', 'x-expires': 10_000 },
});
