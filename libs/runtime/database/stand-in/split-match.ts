import type mongoose from 'mongoose';
import type { PipelineStage } from 'mongoose';
import type { AnyModel } from '../walk-index.ts';
import { hasWholeOne, ownIndexOf } from './indexes.ts';

export type Condition = Readonly<Record<string, unknown>>;
export interface Index {
  readonly fields: readonly string[];
  /** Of a partial index. */
  readonly condition: Condition;
}

const adapted = new WeakSet<object>();

/**
 * For a server that uses an index only if it covers every condition. The first `$match` of each aggregation is split in two: the part that an index covers, and
 * the rest. Each `find` is read by such an aggregation. MongoDB merges the two again.
 */
export function splitMatches(models: readonly AnyModel[]): void {
  for (const model of models) {
    const { collection } = model;
    if (adapted.has(collection)) continue;
    adapted.add(collection);
    const indexes = indexesOf(model);
    const sent = collection.aggregate.bind(collection);
    const aggregate = (pipeline: PipelineStage[], options: never) => sent(pipeline.map(idAlone) as never, options);
    const find = collection.find.bind(collection);
    const findOne = collection.findOne.bind(collection);
    /** The same as an aggregation, if an index covers only a part of it. */
    const split = (filter: Condition, options: mongoose.mongo.FindOptions = {}, limit = options.limit) => {
      const stages = splitMatch(filter, indexes);
      const { sort, skip, limit: _, projection, ...others } = options;
      if (stages.length === 1 || !isPlain(projection)) return undefined;
      const pipeline = [
        ...stages.map(($match) => ({ $match })),
        ...(sort ? [{ $sort: sort }] : []),
        ...(skip ? [{ $skip: skip }] : []),
        ...(limit ? [{ $limit: limit }] : []),
        ...(projection && Object.keys(projection).length > 0 ? [{ $project: projection }] : []),
      ];
      return aggregate(pipeline as PipelineStage[], others as never);
    };
    Object.assign(collection, {
      aggregate: (pipeline: PipelineStage[], options: never) => aggregate(splitFirst(pipeline, indexes), options),
      find: (filter: Condition, options: never) => split(filter, options) ?? find(filter, options),
      findOne: async (filter: Condition, options: never) => {
        const [first] = (await split(filter, options, 1)?.toArray()) ?? [await findOne(filter, options)];
        return first ?? null;
      },
    });
  }
}

const declared = new WeakMap<AnyModel, readonly Index[]>();

export function indexesOf(model: AnyModel): readonly Index[] {
  const known = declared.get(model);
  if (known) return known;
  const own = ownIndexOf(model);
  const indexes = [
    { fields: ['_id'], condition: {} },
    ...(own ? [{ fields: Object.keys(own), condition: {} }] : []),
    ...model.schema.indexes().map(([keys, options]) => ({
      fields: Object.keys(keys),
      condition: (hasWholeOne(options) ? {} : (options.partialFilterExpression ?? {})) as Condition,
    })),
  ];
  declared.set(model, indexes);
  return indexes;
}

/** `{ $project: { _id: 1 } }` leaves whole documents as they are, so it names a field beside the id that none has. */
function idAlone(stage: PipelineStage): PipelineStage {
  if (!('$project' in stage) || Object.keys(stage.$project).join() !== '_id' || !stage.$project._id) return stage;
  return { $project: { _id: 1, [NO_FIELD]: 1 } };
}
export const NO_FIELD = '-';

/** Without operators, which mean something else in `$project`. */
const isPlain = (projection: object = {}) => Object.values(projection).every((value) => typeof value !== 'object');

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

/** The leading fields of an index that have conditions on them; a range ends the list, and so does a choice: with anything after it, all is read. */
export function coveredBy({ fields, condition }: Index, match: Condition): string[] {
  const ofPartial = Object.entries(condition);
  if (ofPartial.some(([field, value]) => match[field] !== value)) return [];
  const covered: string[] = [];
  for (const field of fields) {
    if (!(field in match)) break;
    covered.push(field);
    if (!isEquality(match[field])) break;
  }
  if (covered.length === 0) return [];
  return [...covered, ...ofPartial.map(([field]) => field).filter((field) => !covered.includes(field))];
}

/** One value, or a list of which any will do. */
export const choiceOf = (condition: unknown): readonly unknown[] | undefined =>
  (condition as { readonly $in?: readonly unknown[] } | null | undefined)?.$in;

function isEquality(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null || condition instanceof Date) return true;
  return Object.keys(condition).every((operator) => operator === '$eq' || !operator.startsWith('$'));
}
