import type { ForYouItem, listForYou } from '@worktrack/contracts/gateway/for-you';
import { call } from '../api/call.ts';

const PAGE = 50;

export const readPage = (cursor: string | undefined, signal: AbortSignal) =>
  call<typeof listForYou>('GET /api/for-you', { cursor, limit: PAGE }, { signal });

/** By kind, in the order of the list. */
export function byKind(
  items: readonly ForYouItem[],
): readonly (readonly [ForYouItem['kind'], readonly ForYouItem[]])[] {
  return [...Map.groupBy(items, ({ kind }) => kind)];
}
