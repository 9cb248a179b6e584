import { z } from 'zod';

/**
 * Fields of a result whose lists may not fit into one result: both are present only if something was left out, and then `counts` says how long each
 * list is.
 */
export function truncation<const List extends string>(lists: readonly List[]) {
  const counts = Object.fromEntries(lists.map((list) => [list, z.int()])) as Record<List, z.ZodInt>;
  return { truncated: z.literal(true).optional(), counts: z.object(counts).optional() };
}

/** @param all the complete lists, before anything was left out */
export function truncated<List extends string>(
  isTruncated: boolean,
  all: Readonly<Record<List, { readonly length: number }>>,
): { truncated?: true; counts?: Record<List, number> } {
  if (!isTruncated) return {};
  const counts = Object.entries<{ readonly length: number }>(all).map(([list, { length }]) => [list, length]);
  return { truncated: true, counts: Object.fromEntries(counts) as Record<List, number> };
}
