import mongoose from 'mongoose';
import type { System } from '../support/system.ts';

const DATABASES = ['keys', 'workitems', 'feedback', 'events'] as const;
const SAMPLE = 200;

/** By collection. The averages are those of the newest documents, which are what a run has just written. */
type Stored = ReadonlyMap<string, { readonly count: number; readonly bytes: number; readonly indexKeys: number }>;

export async function storedIn({ environment, servers }: Pick<System, 'environment' | 'servers'>): Promise<Stored> {
  const client = new mongoose.mongo.MongoClient(servers.urls.mongodb);
  const stored = new Map<string, { count: number; bytes: number; indexKeys: number }>();
  try {
    for (const service of DATABASES) {
      const database = client.db(`${environment.MONGODB_DATABASE_PREFIX}_${service}`);
      for (const { name } of await database.listCollections().toArray()) {
        const collection = database.collection(name);
        const [count, indexes, sample] = await Promise.all([
          collection.estimatedDocumentCount(),
          collection.indexes(),
          collection.find().sort({ _id: -1 }).limit(SAMPLE).toArray(),
        ]);
        const sizes = sample.map((document) => mongoose.mongo.BSON.calculateObjectSize(document));
        const bytes = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sample.length);
        stored.set(`${service}.${name}`, { count, bytes, indexKeys: keysOf(indexes, sample) });
      }
    }
    return stored;
  } finally {
    await client.close();
  }
}

/** Documents as BSON, before compression, and entries of their indexes: neither depends on which server holds them. */
export function grown(before: Stored, after: Stored): { readonly bytes: number; readonly indexKeys: number } {
  const sum = { bytes: 0, indexKeys: 0 };
  for (const [name, { count, bytes, indexKeys }] of after) {
    const more = count - (before.get(name)?.count ?? 0);
    sum.bytes += more * bytes;
    sum.indexKeys += more * indexKeys;
  }
  return sum;
}

/** Of one document, on average: an array has a key for each of its elements, and a partial or sparse index none for what it leaves out. */
function keysOf(
  indexes: readonly { key: object; sparse?: boolean; partialFilterExpression?: object }[],
  sample: readonly object[],
): number {
  const counts = sample.map((document) =>
    indexes.reduce((sum, { key, sparse, partialFilterExpression }) => {
      const fields = Object.keys(partialFilterExpression ?? (sparse ? key : {}));
      if (fields.some((field) => valueAt(document, field) === undefined)) return sum;
      const lengths = Object.keys(key).map((field) => {
        const value = valueAt(document, field);
        return Array.isArray(value) ? value.length : 1;
      });
      return sum + Math.max(1, ...lengths);
    }, 0),
  );
  return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, sample.length);
}

function valueAt(document: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined | null)?.[name], document);
}
