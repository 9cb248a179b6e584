import {
  type CommandState,
  collectionOf,
  type Document,
  isDocument,
  isInTransaction,
  nameOf,
  page,
  pipelinesOf,
  type Violation,
  writesOf,
} from './command.ts';

const OPERATIONS = page('Transactions and Operations', 'core/transactions-operations');
const TRANSACTIONS = page('Transactions', 'core/transactions');
const SESSIONS = page('Server Sessions', 'reference/server-sessions');
const UNION = page('$unionWith', 'reference/operator/aggregation/unionWith');
const SNAPSHOT = page('Read Concern "snapshot"', 'reference/read-concern-snapshot');

const CRUD = new Set(['aggregate', 'bulkWrite', 'delete', 'distinct', 'find', 'findAndModify', 'insert', 'update']);
const INFORMATION = new Set(['hello', 'isMaster', 'ismaster', 'buildInfo', 'connectionStatus']);
const DEFINITION = new Set(['create', 'createIndexes']);
const CURSORS = new Set(['getMore', 'killCursors']);
const ENDS = new Set(['commitTransaction', 'abortTransaction']);
const NOT_FIRST = new Set([...INFORMATION, ...CURSORS]);
const REFUSED_STAGES = new Set([
  '$changeStream',
  '$collStats',
  '$currentOp',
  '$indexStats',
  '$listLocalSessions',
  '$listSessions',
  '$merge',
  '$out',
  '$planCacheStats',
]);
/** The driver itself asks for `primaryPreferred` if it is connected directly to one server, and sends a replica set nothing. */
const READ_PREFERENCES = new Set<unknown>(['primary', 'primaryPreferred']);
const CLOSED_DATABASES = new Set(['admin', 'config', 'local']);
const READ_CONCERNS = new Set(['local', 'majority', 'snapshot']);
/** Outside a transaction. */
const SNAPSHOT_READS = new Set(['aggregate', 'distinct', 'find']);

/** What a session, and a transaction in it, may contain. */
export function transactionViolations(command: Document, state: CommandState): Violation[] {
  const found: Violation[] = [];
  const add = (rule: string, where: string) => found.push({ rule, page: where });
  const name = nameOf(command);
  const { session, cursorIn } = state;

  const [other] = session?.underWay ?? [];
  if (other !== undefined) add(`${name} begins while ${other} of its session is under way`, SESSIONS);
  const readConcern = isDocument(command.readConcern) ? command.readConcern.level : undefined;
  if (!isInTransaction(command)) {
    if (readConcern === 'snapshot' && !SNAPSHOT_READS.has(name)) {
      add(`${name} outside of a transaction with readConcern snapshot`, SNAPSHOT);
    }
    const opened = name === 'getMore' ? cursorIn?.get(String(command.getMore)) : undefined;
    if (opened !== undefined) add('getMore outside of the transaction that opened the cursor', OPERATIONS);
    return found;
  }

  const number = String(command.txnNumber);
  const known = session?.transaction?.number === number ? session.transaction : undefined;
  const isFirst = command.startTransaction === true;
  if (isFirst && known) add('a second command that starts the same transaction', TRANSACTIONS);
  if (!isFirst && known?.isEnded && !ENDS.has(name)) add(`${name} after the end of its transaction`, TRANSACTIONS);
  if (isFirst && ENDS.has(name)) add(`${name} as the first operation of a transaction`, TRANSACTIONS);

  if (!CRUD.has(name) && !INFORMATION.has(name) && !DEFINITION.has(name) && !CURSORS.has(name) && !ENDS.has(name)) {
    add(`${name} in a transaction`, OPERATIONS);
  }
  if (isFirst && NOT_FIRST.has(name)) add(`${name} as the first operation of a transaction`, OPERATIONS);
  if (DEFINITION.has(name) && readConcern !== undefined && readConcern !== 'local') {
    add(`${name} in a transaction whose read concern is not local`, OPERATIONS);
  }
  if (name === 'getMore' && cursorIn?.has(String(command.getMore))) {
    if (cursorIn.get(String(command.getMore)) !== transactionKey(command)) {
      add('getMore in a transaction on a cursor that was opened outside of it', OPERATIONS);
    }
  }
  if (readConcern !== undefined && !isFirst) add('readConcern after the first command of a transaction', TRANSACTIONS);
  if (readConcern !== undefined && !READ_CONCERNS.has(String(readConcern))) {
    add(`readConcern ${readConcern} in a transaction`, TRANSACTIONS);
  }
  if (command.writeConcern !== undefined && !ENDS.has(name)) {
    add('writeConcern of a single operation in a transaction', TRANSACTIONS);
  }
  const preference = isDocument(command.$readPreference) ? command.$readPreference.mode : 'primary';
  if (!READ_PREFERENCES.has(preference)) add(`read preference ${preference} in a transaction`, TRANSACTIONS);

  const stages = pipelinesOf(command).flatMap((pipeline) => pipeline.flatMap((stage) => Object.keys(stage)));
  for (const stage of new Set(stages)) {
    if (stage === '$unionWith') add('$unionWith in a transaction', UNION);
    if (REFUSED_STAGES.has(stage)) add(`${stage} in a transaction`, OPERATIONS);
  }
  // `bulkWrite` runs against admin, wherever it writes.
  if (CLOSED_DATABASES.has(String(command.$db)) && CRUD.has(name) && name !== 'bulkWrite') {
    add(`a collection of ${command.$db} in a transaction`, OPERATIONS);
  }
  const written = writesOf(command).map(({ collection }) => collection);
  if (written.some((collection) => collection.startsWith('system.'))) {
    add('a write to a system collection in a transaction', OPERATIONS);
  }
  if (name === 'distinct' && state.shardKeyOf?.(collectionOf(command)) !== undefined) {
    add('distinct on a collection that may be sharded, in a transaction', OPERATIONS);
  }
  return found;
}

export function transactionKey(command: Document): string | undefined {
  if (!isInTransaction(command)) return undefined;
  return `${sessionKey(command)}:${command.txnNumber}`;
}

export function sessionKey(command: Document): string | undefined {
  const id = isDocument(command.lsid) ? command.lsid.id : undefined;
  if (id === undefined) return undefined;
  return typeof id === 'string' ? id : (id as { toString(encoding: string): string }).toString('hex');
}
