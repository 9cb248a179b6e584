/** A command as it goes over the wire: its name is its first field. */
export type Document = Readonly<Record<string, unknown>>;

/** A rule of MongoDB 8 that a command breaks. */
export interface Violation {
  readonly rule: string;
  /** From MongoDB's manual: title and address. */
  readonly page: string;
}

/** What is known about a session when one of its commands begins. */
export interface SessionState {
  /** Its commands that have no answer yet. */
  /** Names of commands. */
  readonly underWay: readonly string[];
  /** The transaction that it began last. */
  readonly transaction: { readonly number: string; readonly commands: number; readonly isEnded: boolean } | undefined;
}

/** What was before the command. */
export interface CommandState {
  /** At most, as it is sent. What fits in few needs no measuring. */
  readonly bytes?: number | undefined;
  /** Of documents and arrays in each other. */
  readonly levels?: number | undefined;
  readonly session?: SessionState | undefined;
  /** The key that a collection would be sharded by. */
  readonly shardKeyOf?: (collection: string) => string | undefined;
  /** The transaction (or `undefined`, outside any) in which a cursor was opened. Absent: unknown. */
  readonly cursorIn?: ReadonlyMap<string, string | undefined>;
  /** Names of the indexes of a collection, with their key patterns as JSON. */
  readonly indexesOf?: (collection: string) => ReadonlyMap<string, string>;
}

const MANUAL = 'https://www.mongodb.com/docs/manual';
export const page = (title: string, path: string): string => `${title}, ${MANUAL}/${path}/`;

export function nameOf(command: Document): string {
  return Object.keys(command)[0] ?? '';
}

/** The collection that a command names, without its database; '' for one that names none. */
export function collectionOf(command: Document): string {
  const first = Object.values(command)[0];
  if (nameOf(command) === 'getMore') return String(command.collection);
  return typeof first === 'string' ? first : '';
}

export function isInTransaction(command: Document): boolean {
  return command.autocommit === false;
}

export function isDocument(value: unknown): value is Document {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof RegExp) &&
    !('_bsontype' in value)
  );
}

export function documentsIn(value: unknown): Document[] {
  return Array.isArray(value) ? value.filter(isDocument) : [];
}

/** One write of a command that may hold many. */
export interface Write {
  readonly collection: string;
  readonly kind: 'insert' | 'update' | 'delete';
  readonly filter: Document;
  /** A document, operators, or a pipeline; of an insert, what is inserted. */
  readonly change: unknown;
  readonly isMulti: boolean;
  readonly isUpsert: boolean;
}

/** All writes of a command, in the same form whichever command it is. */
export function writesOf(command: Document): Write[] {
  const collection = collectionOf(command);
  const none = { filter: {}, change: undefined, isMulti: false, isUpsert: false };
  switch (nameOf(command)) {
    case 'insert':
      return documentsIn(command.documents).map((change) => ({ ...none, collection, kind: 'insert', change }));
    case 'update':
      return documentsIn(command.updates).map((each) => ({
        collection,
        kind: 'update',
        filter: isDocument(each.q) ? each.q : {},
        change: each.u,
        isMulti: each.multi === true,
        isUpsert: each.upsert === true,
      }));
    case 'delete':
      return documentsIn(command.deletes).map((each) => ({
        ...none,
        collection,
        kind: 'delete',
        filter: isDocument(each.q) ? each.q : {},
        isMulti: each.limit === 0,
      }));
    case 'findAndModify':
      return [
        {
          ...none,
          collection,
          kind: command.remove === true ? 'delete' : 'update',
          filter: isDocument(command.query) ? command.query : {},
          change: command.update,
          isUpsert: command.upsert === true,
        },
      ];
    case 'bulkWrite':
      return bulkWrites(command);
    default:
      return [];
  }
}

/** The command of MongoDB 8 that writes to several collections: each write names its namespace by a number. */
function bulkWrites(command: Document): Write[] {
  const namespaces = documentsIn(command.nsInfo).map(({ ns }) => String(ns).replace(/^[^.]*\./, ''));
  const of = (number: unknown) => namespaces[Number(number)] ?? '';
  const filterIn = ({ filter }: Document) => (isDocument(filter) ? filter : {});
  return documentsIn(command.ops).map((each): Write => {
    const common = { isMulti: each.multi === true, isUpsert: each.upsert === true };
    if ('insert' in each)
      return { ...common, collection: of(each.insert), kind: 'insert', filter: {}, change: each.document };
    if ('update' in each)
      return {
        ...common,
        collection: of(each.update),
        kind: 'update',
        filter: filterIn(each),
        change: each.updateMods,
      };
    return { ...common, collection: of(each.delete), kind: 'delete', filter: filterIn(each), change: undefined };
  });
}

/** The filters of a command: of its query, and of each of its writes. */
export function filtersOf(command: Document): Document[] {
  const own = [command.filter, command.query].filter(isDocument);
  return [...own, ...writesOf(command).map(({ filter }) => filter)];
}

/** All pipelines of a command, including those inside stages. */
export function pipelinesOf(command: Document): Document[][] {
  const changes = writesOf(command).flatMap(({ change }) => (Array.isArray(change) ? [documentsIn(change)] : []));
  const own = Array.isArray(command.pipeline) ? [documentsIn(command.pipeline)] : [];
  return [...own, ...changes].flatMap((pipeline) => [pipeline, ...nested(pipeline)]);
}

function nested(pipeline: readonly Document[]): Document[][] {
  return pipeline.flatMap((stage) =>
    Object.entries(stage).flatMap(([name, body]) => {
      const inner =
        name === '$facet' && isDocument(body) ? Object.values(body) : isDocument(body) ? [body.pipeline] : [];
      return inner
        .filter(Array.isArray)
        .map(documentsIn)
        .flatMap((each) => [each, ...nested(each)]);
    }),
  );
}

/** Every field of a document at any depth, arrays included. Called rather than generated: this is done for each command of a run. */
export function forEachField(value: unknown, look: (name: string, value: unknown) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) forEachField(each, look);
  } else if (isDocument(value)) {
    for (const name of Object.keys(value)) {
      look(name, value[name]);
      forEachField(value[name], look);
    }
  }
}
