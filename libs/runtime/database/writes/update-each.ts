import mongoose from 'mongoose';
import { type BulkOptions, UNORDERED } from '../server.ts';
import type { Collection, Filter } from './write-set.ts';

export interface Update {
  readonly filter: Filter;
  readonly set: Readonly<Record<string, unknown>>;
}

/** Changes a document each, in one command. @returns for each whether there was one that its filter matches */
export async function updateEach(
  { collection }: Collection,
  updates: readonly Update[],
  options: BulkOptions = UNORDERED,
): Promise<boolean[]> {
  if (updates.length === 0) return [];
  const namespace = `${mongoose.connection.name}.${collection.name}`;
  const models = updates.map(({ filter, set }) => ({
    name: 'updateOne' as const,
    namespace,
    filter,
    update: { $set: set },
  }));
  // With the results of each: totals would not say which did not match.
  const { updateResults } = await mongoose.connection
    .getClient()
    .bulkWrite(models, { ...options, verboseResults: true });
  return updates.map((_, index) => updateResults?.get(index)?.matchedCount === 1);
}
