import {
  type DefaultError,
  type InfiniteData,
  InfiniteQueryObserver,
  type InfiniteQueryObserverResult,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverResult,
} from '@tanstack/query-core';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { waitMsOf } from './service-error.ts';

const MAX_RETRIES = 2;
const FIRST_RETRY_MS = 1_000;
const KEPT_UNUSED_MS = 5 * 60_000;

/** Which events make an answer stale: it is then requested again (live/live.ts). */
export type Follows = (event: LoggedEvent) => boolean;

declare module '@tanstack/query-core' {
  interface Register {
    queryMeta: {
      readonly follows?: Follows | undefined;
      readonly isPatched?: boolean | undefined;
      readonly requests?: number | undefined;
    };
  }
}

/** What the pages have read. Made stale by events, not by time. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: KEPT_UNUSED_MS,
      networkMode: 'always',
      refetchOnReconnect: false,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < MAX_RETRIES && waitMsOf(error, FIRST_RETRY_MS) !== undefined,
      retryDelay: (failures, error) => waitMsOf(error, FIRST_RETRY_MS * 2 ** failures) ?? 0,
    },
  },
});

export interface QueryOptions<T> {
  /** Starts with what is read: `['board', id]`. */
  readonly key: QueryKey;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly follows?: Follows;
  /** How many it takes to read it (default: 1, or one a page): the more, the more seldom it is read again for what events tell. */
  readonly requests?: number;
  /** Whatever shows it keeps it up to date itself: events make it stale only while it is not shown. */
  readonly isPatched?: boolean;
  /** Shows the previous key's answer until this one's is there: for filters. */
  readonly keepsEarlier?: boolean;
  /** False: does not request yet. */
  readonly enabled?: boolean;
  /** For what no event tells of: requested at once and again and again while the page is in view, and forgotten when it is no longer shown. */
  readonly repeatEveryMs?: number;
}

export function useQuery<T>({
  key,
  load,
  follows,
  requests,
  isPatched,
  keepsEarlier,
  enabled = true,
  repeatEveryMs,
}: QueryOptions<T>): QueryObserverResult<T> {
  const options = queries.defaultQueryOptions<T, DefaultError, T, T, QueryKey>({
    queryKey: key,
    queryFn: ({ signal }) => load(signal),
    meta: { follows, isPatched, requests },
    enabled,
    ...(keepsEarlier && { placeholderData: (earlier: T | undefined) => earlier as never }),
    ...(repeatEveryMs && { refetchInterval: repeatEveryMs, gcTime: 0 }),
  });
  const [observer] = useState(() => new QueryObserver<T, DefaultError, T, T, QueryKey>(queries, options));
  return useObserved(observer, options);
}

/** Part of a longer list, continued with a cursor. */
export interface Page {
  readonly nextCursor: string | null;
}

export interface PagesOptions<P extends Page> extends Omit<QueryOptions<P>, 'load' | 'requests' | 'repeatEveryMs'> {
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>;
}

/** A list that is read page by page. */
export function usePages<P extends Page>({
  key,
  load,
  follows,
  isPatched,
  keepsEarlier,
  enabled = true,
}: PagesOptions<P>): InfiniteQueryObserverResult<InfiniteData<P, string | undefined>> {
  type Pages = InfiniteData<P, string | undefined>;
  const options = {
    ...queries.defaultQueryOptions({ queryKey: key, meta: { follows, isPatched }, enabled }),
    queryFn: ({ pageParam, signal }: { pageParam: unknown; signal: AbortSignal }) =>
      load(pageParam as string | undefined, signal),
    initialPageParam: undefined,
    getNextPageParam: (last: P) => last.nextCursor ?? undefined,
    ...(keepsEarlier && { placeholderData: (earlier: Pages | undefined) => earlier as never }),
  };
  type Observer = InfiniteQueryObserver<P, DefaultError, Pages, QueryKey, string | undefined>;
  const [observer] = useState<Observer>(() => new InfiniteQueryObserver(queries, options as never));
  return useObserved(observer as never, options as never) as never;
}

function useObserved<O extends object, R>(
  observer: {
    getOptimisticResult(options: O): R;
    setOptions(options: O): void;
    subscribe(listener: () => void): () => void;
  },
  options: O,
): R {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  // Subscribed first: an answer that came since it was drawn, because another part had asked for it, would otherwise be taken in before anybody listens.
  useEffect(() => observer.subscribe(() => redraw()), [observer]);
  useEffect(() => observer.setOptions(options));
  return observer.getOptimisticResult(options);
}

/** For what can wait: what is shown comes first. */
export function untilAllIsRead(): Promise<void> {
  return new Promise((resolve) => {
    if (queries.isFetching() === 0) return resolve();
    const stop = queries.getQueryCache().subscribe(() => {
      if (queries.isFetching() > 0) return;
      stop();
      resolve();
    });
  });
}
