import { once } from 'node:events';
import mongoose from 'mongoose';
import { createLog } from '../../process/logging.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { transaction } from '../transaction.ts';

/** What a test sends this process, which holds a transaction open until then; after "write beside", until it is told to commit. */
export type Order = 'commit' | 'refuse' | 'write again' | 'write beside';

/** Increments `held`, and says how many attempts it took. */
const [url = '', database = ''] = process.argv.slice(2);
const ordered = once(process, 'message') as Promise<[Order]>;
const watched = new URL(url);
watched.searchParams.set('monitorCommands', 'true');
await connectDatabase({ url: watched.href, database, log: createLog('holder', 'silent') });
let runs = 0;
try {
  await transaction(Date.now() + 60_000, async (session) => {
    runs++;
    const counters = mongoose.connection.collection<{ _id: string }>('counters');
    const count = () => counters.updateOne({ _id: 'held' }, { $inc: { count: 1 } }, { session });
    await count();
    process.send?.({ holds: true });
    const [order] = await ordered;
    if (order === 'commit') return;
    if (order === 'refuse') throw new Error('Refused');
    if (order === 'write beside') {
      const beside = await transaction(Date.now() + 60_000, async (other) => {
        await counters.updateOne({ _id: 'beside' }, { $inc: { count: 1 } }, { upsert: true, session: other });
        return (other.id as { readonly id: mongoose.mongo.Binary }).id.toUUID().toHexString();
      });
      const mayCommit = once(process, 'message');
      process.send?.({ beside });
      // Not before: a process that stops in an orderly way removes its record.
      await mayCommit;
      return;
    }
    const client = mongoose.connection.getClient();
    client.on('commandStarted', ({ command }) => command.autocommit === false && process.send?.({ isUnderWay: true }));
    await count();
  });
  process.send?.({ runs });
  await disconnectDatabase();
  process.disconnect();
} catch {
  // The process goes on: it must itself end the transaction that it left open.
  process.send?.({ failed: true });
}
