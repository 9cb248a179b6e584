import { type AnyModel, beyond, type OrderedRead, type walkIndex } from '../walk-index.ts';
import { type Axis, valueAt } from './axis.ts';
import { Memory, walkWindows, within } from './windows.ts';

type Reader = typeof walkIndex;
type Key = { readonly _id: string } & Readonly<Record<string, unknown>>;

/**
 * Like `inOrder`, for a server that uses no index for order: it reads and sorts all that match, whatever the limit. So the order's field is cut into
 * windows, each read through the index, until there are enough rows. The first window is as wide as the page was the last time.
 */
export async function inOrderByWindows<Row>(model: AnyModel, read: OrderedRead, reader: Reader): Promise<Row[]> {
  const { skip = 0, limit, order } = read;
  if (skip === 0) return readWindows(model, read, reader);
  const { field } = order;
  const present = [{ $project: { [field]: 1 } }];
  const keys = await readWindows<Key>(model, { ...read, skip: 0, limit: skip, present }, reader);
  const last = keys[skip - 1];
  if (!last) return [];
  return readWindows(model, { ...read, skip: 0, limit, after: { value: valueAt(last, field), id: last._id } }, reader);
}

async function readWindows<Row>(model: AnyModel, read: OrderedRead, reader: Reader): Promise<Row[]> {
  const { order, limit, after } = read;
  const memory = new Memory(model, read, 'page');
  const { axis } = memory;
  const { range, ...start } = startOf(axis, read);
  const width = memory.span ?? axis.firstWidth;
  // A first page records where it ended, a later one how far it is to its end.
  const [end, known] = after === undefined ? [memory.end, memory.lastEnd] : [];
  const far = end ?? (after === undefined ? beginOf(axis, order, range) : axis.toAxis(after.value)) + width;
  const rows: Row[] = [];
  await walkWindows(axis, { range, far, width, wanted: limit, known }, async (window, isFirst) => {
    const rest = { ...read, range: window, limit: limit - rows.length, after: undefined };
    // The first window starts where the page does; the later ones start beyond.
    const found = await reader<Row>(model, isFirst ? { ...rest, ...start } : rest);
    rows.push(...found);
    return found.length;
  });
  const keys = rows as Key[];
  const [last] = keys.slice(-1);
  if (last && valueAt(last, order.field) === undefined) {
    throw new Error(`${model.modelName} is read in the order of ${order.field}, which its rows must keep.`);
  }
  remember(memory, axis, read, keys);
  return rows;
}

/** Where a list is likely to begin. */
function beginOf(axis: Axis, { direction }: OrderedRead['order'], range: OrderedRead['range'] = {}): number {
  const edge = direction === 1 ? (range.$gte ?? range.$gt) : (range.$lte ?? range.$lt);
  return edge === undefined ? axis.start() : Math.max(axis.start(), axis.toAxis(edge));
}

/** Where a page begins. In descending order as an exclusive bound, since this server leaves out what lies on an inclusive one (README.md): all that share the value of the last row. */
function startOf(axis: Axis, { order, range, after, choose = [] }: OrderedRead): Partial<OrderedRead> {
  if (!after || order.direction === 1 || order.field === '_id') return { range, after };
  return {
    range: within(range, axis.range(axis.toAxis(after.value), Infinity)),
    choose: [{ $match: { $or: beyond(order, after) } }, ...choose],
  };
}

function remember(memory: Memory, axis: Axis, { order, limit, after }: OrderedRead, rows: readonly Key[]): void {
  const isFirst = after === undefined;
  if (rows.length < limit) {
    // The last page of several says nothing about the others.
    if (isFirst) memory.keep(axis.firstWidth, Infinity);
    return;
  }
  const places = rows.map((row) => axis.toAxis(valueAt(row, order.field)));
  const last = places.at(-1) as number;
  const span = Math.max(1, spanOf(axis, places) * 1.5);
  memory.keep(span, isFirst ? last + span / 3 : undefined);
}

/** How wide the part of the order is that holds as many as these. */
function spanOf({ isEven }: Axis, places: readonly number[]): number {
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const steps = places.length - 1;
  if (!isEven || steps < 1) return last - first;
  const before = Math.floor(steps * BEFORE_THE_END);
  const [end, share] = [last - (places[before] as number), steps / (steps - before)];
  return Math.min(last - first, end * share);
}
const BEFORE_THE_END = 0.9;
