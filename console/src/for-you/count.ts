import { QueryObserver } from '@tanstack/query-core';
import type { listForYou } from '@worktrack/contracts/gateway/for-you';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { needing } from '../parts/heading.tsx';
import { changesNeeds } from './needs.ts';

/** What is shown comes first. */
function untilAllIsRead(): Promise<void> {
  return new Promise((resolve) => {
    if (queries.isFetching() === 0) return resolve();
    const stop = queries.getQueryCache().subscribe(() => {
      if (queries.isFetching() > 0) return;
      stop();
      resolve();
    });
  });
}

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
