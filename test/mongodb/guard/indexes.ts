import {
  type CommandState,
  collectionOf,
  type Document,
  documentsIn,
  forEachField,
  isDocument,
  nameOf,
  page,
  type Violation,
} from './command.ts';

const LIMITS = page('MongoDB Limits and Thresholds: Indexes', 'reference/limits');
const PARTIAL = page('Partial Indexes', 'core/index-partial');
const TTL = page('TTL Indexes', 'core/index-ttl');
const UNIQUE = page('Unique Indexes', 'core/index-unique');
const CREATE = page('createIndexes', 'reference/command/createIndexes');

const MAX_INDEXES = 64;
const MAX_FIELDS = 32;
const MAX_TTL_SECONDS = 2_147_483_647;
const KINDS = new Set(['text', '2d', '2dsphere', 'hashed']);
const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$and', '$or', '$in']);

/** Indexes that MongoDB does not create, or not on a sharded collection. */
export function indexViolations(command: Document, state: CommandState): Violation[] {
  if (nameOf(command) !== 'createIndexes') return [];
  const collection = collectionOf(command);
  const existing = state.indexesOf?.(collection) ?? new Map<string, string>();
  const names = new Set(existing.keys());
  const found: Violation[] = [];
  for (const index of documentsIn(command.indexes)) {
    const name = String(index.name);
    const keys = isDocument(index.key) ? index.key : {};
    names.add(name);
    const before = existing.get(name);
    if (before !== undefined && before !== JSON.stringify(keys)) {
      found.push({ rule: `another index ${name} of ${collection}`, page: CREATE });
    }
    found.push(...singleIndexViolations(index, keys, state.shardKeyOf?.(collection)));
  }
  // The one on _id counts too.
  if (names.size + 1 > MAX_INDEXES)
    found.push({ rule: `${names.size + 1} indexes of ${collection}: at most ${MAX_INDEXES}`, page: LIMITS });
  return found;
}

function singleIndexViolations(index: Document, keys: Document, shardKey: string | undefined): Violation[] {
  const found: Violation[] = [];
  const add = (rule: string, where: string) => found.push({ rule, page: where });
  const fields = Object.keys(keys);
  const partial = index.partialFilterExpression;

  if (fields.length === 0 || fields.length > MAX_FIELDS)
    add(`an index of ${fields.length} fields: 1 to ${MAX_FIELDS}`, LIMITS);
  for (const [field, kind] of Object.entries(keys)) {
    const isOrder = typeof kind === 'number' && kind !== 0;
    if (!isOrder && !KINDS.has(String(kind))) add(`an index of ${field} in order ${kind}`, CREATE);
    if (field.split('.').some((part) => part.startsWith('$') || part === ''))
      add(`an index of a field ${field}`, CREATE);
  }
  if (partial !== undefined) {
    if (index.sparse !== undefined) add('an index that is partial and sparse', PARTIAL);
    if (fields.length === 1 && fields[0] === '_id') add('a partial index of _id', PARTIAL);
    forEachField(partial, (name, value) => {
      if (!name.startsWith('$')) return;
      if (!PARTIAL_OPERATORS.has(name)) add(`${name} in a partial filter`, PARTIAL);
      if (name === '$exists' && value !== true) add('$exists: false in a partial filter', PARTIAL);
    });
  }
  if (index.expireAfterSeconds !== undefined) {
    if (fields.length !== 1) add('a TTL index of several fields', TTL);
    if (fields[0] === '_id') add('a TTL index of _id', TTL);
    const seconds = Number(index.expireAfterSeconds);
    if (!(seconds >= 0 && seconds <= MAX_TTL_SECONDS)) add(`a TTL of ${seconds} s`, TTL);
  }
  if (index.unique === true) {
    if (Object.values(keys).includes('hashed')) add('a unique hashed index', UNIQUE);
    if (shardKey !== undefined && fields[0] !== shardKey) {
      add(`a unique index that does not begin with ${shardKey}, which the collection is sharded by`, UNIQUE);
    }
  }
  return found;
}
