import mongoose from 'mongoose';
import type { AnyModel } from '../walk-index.ts';

type Keys = Readonly<Record<string, 1>>;
type Directions = Readonly<Record<string, 1 | -1>>;

const ORGANIZATION = 'organizationId';
/** What writes find a document of an organization by, and rely on, by collection: an index serves them only if it covers every condition. */
const RELIED_ON: Readonly<Record<string, readonly string[]>> = {
  work_items: ['_id', 'treeVersion', 'revision'],
  board_tallies: ['_id', 'columnsVersion'],
  deliveries: ['_id', 'attempts'],
  counters: ['name', 'value'],
};
/** MongoDB server error codes (error_codes.yml). */
const NOT_FOUND = [26, 27];

/**
 * The index that finds one document of an organization by its id, where the model declares none. MongoDB finds it by the id alone, but this server goes through
 * the whole organization as soon as any index begins with it.
 */
export function ownIndexOf({ collection, schema }: AnyModel): Keys | undefined {
  const declared = schema.indexes().map(([keys]) => Object.keys(keys));
  const begins = declared.filter(([first]) => first === ORGANIZATION);
  const reliedOn = RELIED_ON[collection.name];
  if (begins.length === 0 || (!reliedOn && begins.some(([, second]) => second === '_id'))) return undefined;
  const fields = [ORGANIZATION, ...(reliedOn ?? ['_id'])];
  return Object.fromEntries(fields.map((field) => [field, 1 as const]));
}

/**
 * Whether a whole index stands beside a partial one on documents that have a field. Even if a query states the same condition, this server reads all documents
 * rather than the partial index. A unique one stays alone: whole, it would forbid a second document without the field.
 */
export function hasWholeOne({ unique, partialFilterExpression: condition }: mongoose.IndexOptions): boolean {
  const conditions = Object.values(condition ?? {});
  return !unique && conditions.length > 0 && conditions.every((each) => each?.$exists === true);
}

/** Beside those that the models declare. */
export async function createOwnIndexes(models: readonly AnyModel[]): Promise<void> {
  for (const model of models) {
    const { collection, schema } = model;
    const keys = ownIndexOf(model);
    if (keys) await collection.createIndex(keys);
    for (const [partial, options] of schema.indexes()) {
      // Under a name of its own: by default both would have the same.
      if (hasWholeOne(options))
        await collection.createIndex(partial as Directions, { name: `whole_${nameOf(partial)}` });
    }
  }
}

/** Of an earlier version, whose models declared them: MongoDB would go on writing them for nobody. */
export async function dropOwnIndexes(models: readonly AnyModel[]): Promise<void> {
  for (const model of models) {
    const keys = ownIndexOf(model);
    if (!keys) continue;
    try {
      await model.collection.dropIndex(nameOf(keys));
    } catch (error) {
      const isGone = error instanceof mongoose.mongo.MongoServerError && NOT_FOUND.includes(Number(error.code));
      if (!isGone) throw error;
    }
  }
}

/** As servers name an index by default. */
function nameOf(keys: object): string {
  return Object.entries(keys)
    .map((entry) => entry.join('_'))
    .join('_');
}
