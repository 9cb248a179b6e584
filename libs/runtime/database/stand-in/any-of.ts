import type { AnyModel } from '../walk-index.ts';

/**
 * The documents that match any of the filters, for a server that scans for any `$or`: one query per filter.
 * @param filters no document may match two of them
 */
export async function findAnyOf<Document>(model: AnyModel, filters: readonly object[]): Promise<Document[]> {
  const found: Document[][] = await Promise.all(filters.map((filter) => model.find(filter).lean()));
  return found.flat();
}
