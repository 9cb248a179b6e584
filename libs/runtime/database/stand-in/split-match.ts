import type { PipelineStage } from 'mongoose';
import type { AnyModel } from '../walk-index.ts';
import { hasWholeOne, ownIndexOf } from './indexes.ts';

type Condition = Readonly<Record<string, unknown>>;
interface Index {
  readonly fields: readonly string[];
  /** Of a partial index. */
  readonly condition: Condition;
}

const adapted = new WeakSet<object>();

/**
 * For a server that uses an index only if it covers every condition of a `$match`: the first one of each aggregation is split in two,
 * the part that an index covers and the rest. MongoDB merges the two again.
 */
export function splitMatches(models: readonly AnyModel[]): void {
  for (const model of models) {
    const { collection, schema } = model;
    if (adapted.has(collection)) continue;
    adapted.add(collection);
    const own = ownIndexOf(model);
    const indexes = [
      { fields: ['_id'], condition: {} },
      ...(own ? [{ fields: Object.keys(own), condition: {} }] : []),
      ...schema.indexes().map(([keys, options]) => ({
        fields: Object.keys(keys),
        condition: (hasWholeOne(options) ? {} : (options.partialFilterExpression ?? {})) as Condition,
      })),
    ];
    const aggregate = collection.aggregate.bind(collection);
    collection.aggregate = ((pipeline: PipelineStage[], options: never) =>
      aggregate(splitFirst(pipeline, indexes) as never, options)) as typeof collection.aggregate;
  }
}

function splitFirst(pipeline: PipelineStage[], indexes: readonly Index[]): PipelineStage[] {
  const [first, ...others] = pipeline;
  if (!first || !('$match' in first)) return pipeline;
  return [...splitMatch(first.$match, indexes).map(($match) => ({ $match })), ...others];
}

/** @param indexes if two cover equally many conditions, the one declared first is used */
export function splitMatch(match: Condition, indexes: readonly Index[]): Condition[] {
  let covered: readonly string[] = [];
  for (const index of indexes) {
    const fields = coveredBy(index, match);
    if (fields.length > covered.length) covered = fields;
  }
  const rest = Object.keys(match).filter((field) => !covered.includes(field));
  if (covered.length === 0 || rest.length === 0) return [match];
  return [covered, rest].map((fields) => Object.fromEntries(fields.map((field) => [field, match[field]])));
}

/** The leading fields of an index that have conditions on them; a range ends the list. */
function coveredBy({ fields, condition }: Index, match: Condition): string[] {
  const ofPartial = Object.entries(condition);
  if (ofPartial.some(([field, value]) => match[field] !== value)) return [];
  const covered: string[] = [];
  for (const field of fields) {
    if (!(field in match)) break;
    covered.push(field);
    if (isRange(match[field])) break;
  }
  if (covered.length === 0) return [];
  return [...covered, ...ofPartial.map(([field]) => field).filter((field) => !covered.includes(field))];
}

const EQUALITIES = ['$eq', '$in'];

function isRange(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null || condition instanceof Date) return false;
  return Object.keys(condition).some((operator) => operator.startsWith('$') && !EQUALITIES.includes(operator));
}
