import type { Operation } from '@worktrack/contracts/operation';
import { writeCursor } from '@worktrack/runtime/validation/cursor';
import type { JsonSchema } from '../../schema.ts';
import { after, from, positionOf } from './continuation.ts';
import { fit } from './fit.ts';

type Fields = Record<string, unknown>;

/**
 * How a tool continues when its result would be too large: with its operation's own cursor, or with one made here. A write that cannot be called again does not
 * continue.
 */
export type Paging = 'own' | 'made here' | 'none';

export interface ResultShape {
  readonly schema: JsonSchema;
  /** The lists that may end early. */
  readonly lists: readonly string[];
  readonly paging: Paging;
}

/** @param ask runs the operation, with the given fields changed */
export async function resultOf(
  { operation, result }: { readonly operation: Operation; readonly result: ResultShape },
  input: Fields,
  asker: unknown,
  ask: (input: Fields) => Promise<Fields>,
): Promise<Fields> {
  if (result.paging === 'own') return pageOf(operation, result, input, ask);
  if (result.paging === 'made here') return restOf(operation, result, input, asker, ask);
  const output = await ask(input);
  const { value, shown } = fit(output, result.schema, result.lists);
  if (!shown) return value;
  const counts = result.lists.map((list) => [list, ((output[list] ?? []) as unknown[]).length]);
  return { ...value, truncated: true, counts: Object.fromEntries(counts) };
}

/** The operation is called again for as many as fit, so that its own cursor continues after them. */
async function pageOf(
  operation: Operation,
  { schema, lists }: ResultShape,
  input: Fields,
  ask: (input: Fields) => Promise<Fields>,
): Promise<Fields> {
  for (let asked = input; ; ) {
    const output = await ask(asked);
    const { value, shown } = fit(output, schema, lists);
    const [count] = Object.values(shown ?? {});
    if (count === undefined) return value;
    const { page = 1, limit } = operation.input.parse(asked) as { readonly page?: number; readonly limit: number };
    // A numbered page starts after the previous pages, which must all have the same length.
    const skip = (page - 1) * limit;
    let shorter = Math.max(1, Math.min(count, limit - 1));
    while (skip % shorter !== 0) shorter--;
    asked = { ...asked, limit: shorter, ...(skip > 0 && { page: skip / shorter + 1 }) };
  }
}

/** The whole result is recomputed for each page, and starts where the previous page ended. */
async function restOf(
  operation: Operation,
  { schema, lists }: ResultShape,
  { cursor, ...input }: Fields,
  asker: unknown,
  ask: (input: Fields) => Promise<Fields>,
): Promise<Fields> {
  const asked = [operation.name, asker, Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))];
  const position = cursor === undefined ? {} : positionOf(cursor as string, asked);
  const output = await ask(input);
  const whole = new Map(lists.flatMap((list) => (Array.isArray(output[list]) ? [[list, output[list]] as const] : [])));
  const rest = from(whole, position);
  const { value, shown } = fit({ ...output, ...Object.fromEntries(rest) }, schema, [...whole.keys()]);
  return shown ? { ...value, nextCursor: writeCursor(after(whole, rest, shown), asked) } : value;
}
