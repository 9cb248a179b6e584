import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { System } from './system.ts';

const LOOK_EVERY_MS = 50;
const OUTBOXES = ['workitems', 'feedback', 'keys'] as const;

/**
 * Resolves when the log has everything that was written: what a write causes is not over with its response. The outboxes are empty by then, and the log's heads
 * no longer move.
 */
export async function followed({ environment, servers }: Pick<System, 'environment' | 'servers'>): Promise<void> {
  // Not through what counts the services' commands.
  const client = new mongoose.mongo.MongoClient(servers.urls.mongodb);
  const database = (service: string) => client.db(`${environment.MONGODB_DATABASE_PREFIX}_${service}`);
  try {
    for (let before = -1; ; ) {
      const waiting = await Promise.all(OUTBOXES.map((name) => database(name).collection('outbox').findOne()));
      const logged = await database('events').collection('log').estimatedDocumentCount();
      if (waiting.every((event) => event === null) && logged === before) return;
      before = logged;
      await delay(LOOK_EVERY_MS);
    }
  } finally {
    await client.close();
  }
}
