import { QueryObserver } from '@tanstack/query-core';
import type { listForYou } from '@worktrack/contracts/gateway/for-you';
import { call } from '../api/call.ts';
import { queries, untilAllIsRead } from '../api/query.ts';
import { hearEvents } from '../live/live.ts';
import { needing } from '../parts/page/heading.tsx';
import { changesCount } from './changes.ts';

/**
 * The count covers all projects, and every open page of an organization asks for it. Pages that hear of the same event spread their requests, and each asks no
 * more often than this, however much happens. Twenty open boards that asked at once, with 10 000 items, took more than their organization's share of concurrent
 * calls.
 */
const SOONEST_MS = 1_000;
const SPREAD_MS = 4_000;

/** Follows how much needs the user, for the navigation and the title of the page. @returns what ends it */
export async function followNeeds(): Promise<() => void> {
  await untilAllIsRead();
  const observer = new QueryObserver(queries, {
    queryKey: ['for-you', 'count'],
    queryFn: ({ signal }) => call<typeof listForYou>('GET /api/for-you', { limit: 1 }, { signal }),
  });
  const unsubscribe = observer.subscribe(({ data }) => {
    if (data) needing.value = Object.values(data.counts).reduce((sum, count) => sum + count, 0);
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unhear = hearEvents((event) => {
    if (!changesCount(event)) return;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        void observer.refetch();
      },
      SOONEST_MS + Math.random() * SPREAD_MS,
    );
  });
  return () => {
    clearTimeout(timer);
    unhear();
    unsubscribe();
  };
}
