import { databaseServer } from '../server.ts';
import type { AnyModel } from '../walk-index.ts';

/**
 * The next documents of a migration, in the order of `_id`.
 * @param after the `_id` that the previous batch ended with; empty at the beginning
 * @param fields the ones it reads, since documents may be large
 */
export async function nextBatch<Document extends { readonly _id: string }>(
  model: AnyModel,
  after: string,
  size: number,
  fields: Readonly<Partial<Record<string, 1>>> = {},
): Promise<Document[]> {
  return databaseServer().nextBatch(model, after, size, fields);
}
