import { MongoClient } from 'mongodb';
import type { RunningSystem } from './run-system.ts';

/** Removes events from an organization's log as its retention does, which is counted in days. */
export async function forgetAllButTheLast(
  { urls, databasePrefix }: Pick<RunningSystem, 'urls' | 'databasePrefix'>,
  organizationId: string,
): Promise<void> {
  const client = await MongoClient.connect(urls.mongodb);
  try {
    const log = client.db(`${databasePrefix}_events`).collection<{ organizationId: string; seq: number }>('log');
    const [last] = await log.find({ organizationId }).sort({ seq: -1 }).limit(1).toArray();
    if (!last) throw new Error('Nothing is in the log.');
    for (let seq = 1; seq < last.seq; seq++) await log.deleteOne({ organizationId, seq });
  } finally {
    await client.close();
  }
}
