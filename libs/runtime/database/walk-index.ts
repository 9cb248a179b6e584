import type { ClientSession, Model, PipelineStage } from 'mongoose';

// biome-ignore lint/suspicious/noExplicitAny: of any schema
export type AnyModel = Model<any, any, any, any, any, any, any>;

/** The order of a list: by a field, then by `_id` among equal ones, both in the same direction. The index that serves the list ends with these two. */
export interface Order {
  readonly field: string;
  readonly direction: 1 | -1;
}

/** Where a page ended. */
export interface PageEnd {
  /** Of the order's field. */
  readonly value: unknown;
  readonly id: string;
}

export interface OrderedRead {
  /** The index fields before the order's field, as equalities; other conditions are filtered during the walk. */
  readonly filter: Readonly<Record<string, unknown>>;
  readonly order: Order;
  /** Bounds on the order's field: `$gt`, `$gte`, `$lt`, `$lte`. */
  readonly range?: Readonly<Record<string, unknown>>;
  /** Start after this place. */
  readonly after?: PageEnd | undefined;
  readonly skip?: number;
  readonly limit: number;
  /** Stages that select among the filter's matches, before `limit`. */
  readonly choose?: readonly PipelineStage[];
  /** Stages that turn documents into rows, after `limit`. The rows keep `_id` and the order's field. */
  readonly present: readonly PipelineStage[];
  readonly session?: ClientSession | undefined;
}

/**
 * MongoDB walks the index (equality, sort, range: in the order of its fields) and stops at the limit, however many match and however deep the
 * page starts.
 */
export async function walkIndex<Row>(model: AnyModel, read: OrderedRead): Promise<Row[]> {
  const { filter, order, range, after, skip = 0, limit, choose = [], present, session } = read;
  const { field, direction } = order;
  const bounds = { ...range, ...(after && beginAt(order, after)) };
  const stages: PipelineStage[] = [
    {
      $match: {
        ...filter,
        ...(Object.keys(bounds).length > 0 && { [field]: bounds }),
        ...(after && field !== '_id' && { $or: beyond(order, after) }),
      },
    },
    { $sort: { [field]: direction, _id: direction } },
    ...choose,
    ...(skip > 0 ? [{ $skip: skip }] : []),
    { $limit: limit },
    ...present,
  ];
  return (
    model
      .aggregate<Row>(stages, { session })
      // One more than needed: a full batch leaves a cursor open, which would cost a second command.
      .option({ batchSize: limit + 1 })
  );
}

/** One index range rather than an `$or` of two: the walk starts here, whatever the planner makes of the rest. */
function beginAt({ field, direction }: Order, { value, id }: PageEnd): Record<string, unknown> {
  if (field === '_id') return direction === 1 ? { $gt: id } : { $lt: id };
  return direction === 1 ? { $gte: value } : { $lte: value };
}

/** Among equal values, ids determine the order. */
export function beyond({ field, direction }: Order, { value, id }: PageEnd): Record<string, unknown>[] {
  const past = direction === 1 ? '$gt' : '$lt';
  return [{ [field]: { [past]: value } }, { _id: { [past]: id } }];
}

/** MongoDB stops at the limit: the order does not matter to a count, and none is asked for. */
export async function countIndex(
  model: AnyModel,
  { filter, order, range, limit, choose = [], session }: Omit<OrderedRead, 'present'>,
): Promise<number> {
  const isBounded = Object.keys(range ?? {}).length > 0;
  const stages: PipelineStage[] = [
    { $match: { ...filter, ...(isBounded && { [order.field]: range }) } },
    ...choose,
    { $limit: limit },
    { $group: { _id: null, total: { $sum: 1 } } },
  ];
  const [counted] = await model.aggregate<{ total: number }>(stages, { session });
  return counted?.total ?? 0;
}
