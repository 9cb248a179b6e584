import { QueryObserver } from '@tanstack/query-core';
import type { listForYou } from '@worktrack/contracts/gateway/for-you';
import { call } from '../api/call.ts';
import { queries, untilAllIsRead } from '../api/query.ts';
import { needing } from '../parts/heading.tsx';
import { changesNeeds } from './needs.ts';

/** Follows how much needs the user, for the navigation and the title of the page. @returns what ends it */
export async function followNeeds(): Promise<() => void> {
  await untilAllIsRead();
  const observer = new QueryObserver(queries, {
    queryKey: ['for-you', 'count'],
    queryFn: ({ signal }) => call<typeof listForYou>('GET /api/for-you', { limit: 1 }, { signal }),
    meta: { follows: changesNeeds },
  });
  return observer.subscribe(({ data }) => {
    if (data) needing.value = Object.values(data.counts).reduce((sum, count) => sum + count, 0);
  });
}
