import {
  type CommandState,
  type Document,
  isDocument,
  isInTransaction,
  page,
  type Violation,
  type Write,
  writesOf,
} from './command.ts';

const RETRYABLE = page('Retryable Writes', 'core/retryable-writes');
const SHARDED_UPSERT = page('update: Sharded Collections', 'reference/command/update');
const OPERATORS = page('Update Operators', 'reference/operator/update');
const UPDATE = page('update', 'reference/command/update');
const DOCUMENTS = page('Documents: The _id Field', 'core/document');
const DOLLAR = page('Field Names with Periods and Dollar Signs', 'core/dot-dollar-considerations');
const PIPELINE_UPDATES = page(
  'Updates with Aggregation Pipeline',
  'tutorial/update-documents-with-aggregation-pipeline',
);
const MULTI_COLLECTION = page('bulkWrite', 'reference/command/bulkWrite');

const UPDATE_OPERATORS = new Set([
  ...['$currentDate', '$inc', '$min', '$max', '$mul', '$rename', '$set', '$setOnInsert', '$unset'],
  ...['$addToSet', '$bit', '$pop', '$pull', '$pullAll', '$push'],
]);
const UPDATE_STAGES = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** What writes may not do, including to a collection that is sharded by the first field of its indexes. */
export function writeViolations(command: Document, state: CommandState): Violation[] {
  const found: Violation[] = [];
  const add = (rule: string, where: string) => found.push({ rule, page: where });
  if ('bulkWrite' in command && command.$db !== undefined && command.$db !== 'admin') {
    add('bulkWrite against a database other than admin', MULTI_COLLECTION);
  }
  for (const write of writesOf(command)) {
    const { collection, filter, isMulti, isUpsert } = write;
    if (isMulti && command.txnNumber !== undefined && !isInTransaction(command)) {
      add('a write of several documents as a retryable write', RETRYABLE);
    }
    const shardKey = state.shardKeyOf?.(collection);
    if (isUpsert && shardKey !== undefined && !isEquality(filter[shardKey])) {
      add(`an upsert into ${collection} whose filter does not name ${shardKey}`, SHARDED_UPSERT);
    }
    for (const { rule, page: where } of changeViolations(write)) add(rule, where);
  }
  return found;
}

function isEquality(condition: unknown): boolean {
  if (condition === undefined) return false;
  if (!isDocument(condition)) return true;
  return '$eq' in condition || !Object.keys(condition).some((key) => key.startsWith('$'));
}

function changeViolations({ kind, change, isMulti }: Write): Violation[] {
  if (kind === 'insert' && isDocument(change)) return insertViolations(change);
  if (kind !== 'update') return [];
  if (Array.isArray(change)) {
    const stages = change.filter(isDocument).flatMap((stage) => Object.keys(stage));
    const others = stages.filter((stage) => !UPDATE_STAGES.has(stage));
    return others.map((stage) => ({ rule: `${stage} in an update`, page: PIPELINE_UPDATES }));
  }
  if (!isDocument(change)) return [];
  const operators = Object.keys(change).filter((key) => key.startsWith('$'));
  if (operators.length === 0) {
    return isMulti ? [{ rule: 'a replacement of several documents', page: UPDATE }] : insertViolations(change);
  }
  const found: Violation[] = [];
  if (operators.length < Object.keys(change).length) found.push({ rule: 'operators beside fields', page: UPDATE });
  for (const operator of operators) {
    if (!UPDATE_OPERATORS.has(operator)) found.push({ rule: `${operator} is no update operator`, page: OPERATORS });
  }
  const paths = operators.flatMap((operator) =>
    Object.entries(isDocument(change[operator]) ? change[operator] : {}).flatMap(([path, value]) =>
      operator === '$rename' ? [path, String(value)] : [path],
    ),
  );
  const sorted = paths.toSorted();
  for (const [i, path] of sorted.entries()) {
    const other = sorted.slice(i + 1).find((each) => each === path || each.startsWith(`${path}.`));
    if (other !== undefined)
      found.push({ rule: `an update of ${path} and of ${other} would conflict`, page: OPERATORS });
  }
  const changesId = operators.some(
    (operator) => operator !== '$setOnInsert' && isDocument(change[operator]) && '_id' in change[operator],
  );
  if (changesId) found.push({ rule: 'a change of _id', page: DOCUMENTS });
  return found;
}

function insertViolations(document: Document): Violation[] {
  const found: Violation[] = [];
  const { _id } = document;
  if (Array.isArray(_id) || _id instanceof RegExp)
    found.push({ rule: 'an _id that is an array or a pattern', page: DOCUMENTS });
  const dollar = Object.keys(document).find((key) => key.startsWith('$'));
  if (dollar !== undefined) found.push({ rule: `a document with a field ${dollar}`, page: DOLLAR });
  return found;
}
