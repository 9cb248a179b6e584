import mongoose from 'mongoose';
import { connectDatabase, disconnectDatabase, transaction } from './database.ts';
import { createLog } from './logging.ts';

/** A process for tests, which holds a transaction open until it is told to go on: counts `held` up by one, and says how often it had to. */
const [url = '', database = ''] = process.argv.slice(2);
const goesOn = new Promise((resolve) => process.once('message', resolve));
await connectDatabase({ url, database, log: createLog('holder', 'silent') });
let runs = 0;
await transaction(Date.now() + 60_000, async (session) => {
  runs++;
  const counters = mongoose.connection.collection<{ _id: string }>('counters');
  await counters.updateOne({ _id: 'held' }, { $inc: { count: 1 } }, { session });
  process.send?.({ holds: true });
  await goesOn;
});
process.send?.({ runs });
await disconnectDatabase();
process.disconnect();
