import type { InfiniteData } from '@tanstack/query-core';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { getFeedback, listFeedback } from '@worktrack/contracts/feedback/inbox';
import type { Category, Status } from '@worktrack/contracts/feedback/records';
import type { Output } from '@worktrack/contracts/operation';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { filter } from '../router.ts';

export const STATUSES = ['new', 'triaged', 'linked', 'resolved', 'dismissed'] as const satisfies readonly Status[];
export const CATEGORIES = [
  'bug',
  'feature_request',
  'improvement',
  'question',
  'praise',
  'other',
] as const satisfies readonly Category[];

/** The key that gives a submission this status. `linked` follows from linking it. */
export const STATUS_KEYS = { n: 'new', t: 'triaged', r: 'resolved', d: 'dismissed' } as const satisfies Record<
  string,
  Status
>;

export type FeedbackPage = Output<typeof listFeedback>;

/** What is shown of the inbox; all of it is in the address. */
export interface InboxFilters {
  readonly status: Status | undefined;
  readonly category: Category | undefined;
  readonly sourceId: string | undefined;
  readonly search: string | undefined;
}

export function filtersOfAddress(): InboxFilters {
  return {
    status: filter('status') as Status | undefined,
    category: filter('category') as Category | undefined,
    sourceId: filter('source'),
    search: filter('q'),
  };
}

/** After a change of one's own, even without a stream of events: of the lists that show it, it alone is read, and not what was loaded of them. */
export async function readAnew(id: string): Promise<void> {
  for (const name of ['feedback-counts', 'submission']) void queries.invalidateQueries({ queryKey: [name] });
  const read = call<typeof getFeedback>('GET /api/feedback/items/:id', { id });
  const item = await read.catch(() => undefined);
  for (const query of queries.getQueryCache().findAll({ queryKey: ['feedback'] })) {
    const { queryKey, state } = query;
    const data = state.data as InfiniteData<FeedbackPage> | undefined;
    if (item && query.isActive() && data?.pages.some(({ items }) => items.some((each) => each.id === id))) {
      const { status = item.status } = queryKey[1] as InboxFilters;
      const now = status === item.status ? item : [];
      const pages = data.pages.map((page) => ({
        ...page,
        items: page.items.flatMap((each) => (each.id === id ? now : each)),
      }));
      queries.setQueryData(queryKey, { ...data, pages }, { updatedAt: state.dataUpdatedAt });
    } else void queries.invalidateQueries({ queryKey, exact: true });
  }
}

export const isOfFeedback = ({ subject }: LoggedEvent) => subject.kind === 'feedback';

/** Beyond this a count is “100+”: the API does not count feedback, and one page tells this much. */
export const COUNTED = 100;

/** How many submissions of each status there are, with the other filters. */
export function useCounts({ status: _, ...others }: InboxFilters) {
  return useQuery({
    key: ['feedback-counts', others],
    load: async (signal) => {
      const pages = await Promise.all(
        STATUSES.map((status) =>
          call<typeof listFeedback>('GET /api/feedback/items', { ...others, status, limit: COUNTED }, { signal }),
        ),
      );
      return Object.fromEntries(
        STATUSES.map((status, at) => [
          status,
          { count: pages[at]?.items.length ?? 0, isMore: pages[at]?.nextCursor !== null },
        ]),
      );
    },
    follows: isOfFeedback,
    requests: STATUSES.length,
    keepsEarlier: true,
  });
}
