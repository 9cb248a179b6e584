import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { ForYouItem, listForYou } from '@worktrack/contracts/gateway/for-you';
import { useEffect } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { needing } from '../parts/heading.tsx';

const PAGE = 50;

export const readPage = (cursor: string | undefined, signal: AbortSignal) =>
  call<typeof listForYou>('GET /api/for-you', { cursor, limit: PAGE }, { signal });

/** What these tell of may begin or end a need; the others do not. */
const ENDING: ReadonlySet<string> = new Set([
  'work_item.needs_attention',
  'work_item.moved',
  'work_item.updated',
  'work_item.deleted',
  'work_item.claimed',
  'work_item.released',
  'work_item.progress',
  'project.updated',
]);
export const changesNeeds = ({ type }: LoggedEvent): boolean => ENDING.has(type);

/** Follows how much needs the user, for the navigation and the title of the page. */
export function useNeedCount(isAsked: boolean): void {
  const { data } = useQuery({
    key: ['for-you', 'count'],
    load: (signal) => call<typeof listForYou>('GET /api/for-you', { limit: 1 }, { signal }),
    follows: changesNeeds,
    enabled: isAsked,
  });
  const count = Object.values(data?.counts ?? {}).reduce((sum, each) => sum + each, 0);
  useEffect(() => {
    needing.value = count;
  }, [count]);
}

/** By kind, in the order of the list. */
export function byKind(
  items: readonly ForYouItem[],
): readonly (readonly [ForYouItem['kind'], readonly ForYouItem[]])[] {
  return [...Map.groupBy(items, ({ kind }) => kind)];
}
