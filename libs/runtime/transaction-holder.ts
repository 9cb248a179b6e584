import { once } from 'node:events';
import mongoose from 'mongoose';
import { connectDatabase, disconnectDatabase, transaction } from './database.ts';
import { createLog } from './logging.ts';

/** What a test tells this process, which holds a transaction open until then: to commit it, or to break it off. */
export type Order = 'commit' | 'break off';

/** Counts `held` up by one, and says how often it had to. */
const [url = '', database = ''] = process.argv.slice(2);
const ordered = once(process, 'message') as Promise<[Order]>;
await connectDatabase({ url, database, log: createLog('holder', 'silent') });
let runs = 0;
try {
  await transaction(Date.now() + 60_000, async (session) => {
    runs++;
    const counters = mongoose.connection.collection<{ _id: string }>('counters');
    await counters.updateOne({ _id: 'held' }, { $inc: { count: 1 } }, { session });
    process.send?.({ holds: true });
    const [order] = await ordered;
    if (order === 'break off') throw new Error('Broken off.');
  });
  process.send?.({ runs });
  await disconnectDatabase();
  process.disconnect();
} catch {
  // It stays: what it left open is its own to end.
  process.send?.({ brokenOff: true });
}
