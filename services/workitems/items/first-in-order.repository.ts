import mongoose, { type PipelineStage } from 'mongoose';
import { narrowed } from '../narrowed.ts';
import type { Scope } from '../scope.ts';
import { ItemModel, type ItemRecord } from './items.model.ts';

export type ItemOrder = 'newest' | 'column';
const ORDERS = {
  newest: { field: '_id', sort: { _id: -1 }, before: (bound: unknown) => ({ $gt: bound }) },
  column: { field: 'position', sort: { position: 1, _id: 1 }, before: (bound: unknown) => ({ $lt: bound }) },
} as const;

export interface Which {
  /** Beside the organization, all that an index has before the field of the order: `_id` for the newest, `position` for a column. */
  readonly byIndex: { readonly [field: string]: unknown };
  readonly rest?: { readonly [field: string]: unknown };
}

/**
 * The first `count` in an order, without reading all that match. Where so many ended the last time is remembered, and the database is asked for what
 * comes before that; only when this is too little any more, for all. One of our databases has no other way to be quick: it reads and sorts
 * all matches, whatever the limit (64 ms of CPU of 10 000, 2 ms with the bound). What is remembered is only where to look: it may be as old as it likes.
 * @param fields to read; those of the order are added
 */
export async function firstInOrder<Row extends Partial<ItemRecord>>(
  scope: Scope,
  which: Which,
  order: ItemOrder,
  count: number,
  fields: Readonly<Record<string, 1>>,
): Promise<Row[]> {
  const { field } = ORDERS[order];
  const limit = count + SPARE + 1;
  const key = JSON.stringify([scope.caller.organizationId, which, order, count]);
  const bound = bounds.get(key);
  let rows = bound === undefined ? [] : await read<Row>(scope, which, order, limit, fields, bound);
  if (rows.length < count) rows = await read<Row>(scope, which, order, limit, fields);
  remember(key, rows.length === limit ? rows.at(-1)?.[field] : undefined);
  return rows.slice(0, count);
}

/** How many more than needed lie before what is remembered: as many may go before all have to be read again. */
const SPARE = 50;
const MAX_REMEMBERED = 10_000;
/** The oldest first. */
const bounds = new Map<string, unknown>();

function remember(key: string, bound: unknown): void {
  bounds.delete(key);
  if (bound === undefined) return;
  bounds.set(key, bound);
  for (const oldest of bounds.keys()) {
    if (bounds.size <= MAX_REMEMBERED) break;
    bounds.delete(oldest);
  }
}

async function read<Row>(
  { caller, tx }: Scope,
  { byIndex, rest = {} }: Which,
  order: ItemOrder,
  limit: number,
  fields: Readonly<Record<string, 1>>,
  bound?: unknown,
): Promise<Row[]> {
  const { organizationId } = caller;
  const { field, sort, before } = ORDERS[order];
  const range = bound === undefined ? {} : { [field]: before(bound) };
  const projection = { ...fields, [field]: 1 as const };
  if (Object.values(rest).every((value) => value === undefined)) {
    const filter = {
      organizationId,
      ...byIndex,
      ...(bound !== undefined && { [field]: mongoose.trusted(before(bound)) }),
    };
    return ItemModel.find(filter, projection)
      .sort({ ...sort })
      .limit(limit)
      .batchSize(limit)
      .session(tx ?? null)
      .lean<Row[]>();
  }
  const stages: PipelineStage[] = [
    ...narrowed({ organizationId, ...byIndex, ...range }, rest),
    { $sort: { ...sort } },
    { $limit: limit },
    { $project: projection },
  ];
  return ItemModel.aggregate<Row>(stages)
    .option({ batchSize: limit })
    .session(tx ?? null);
}
