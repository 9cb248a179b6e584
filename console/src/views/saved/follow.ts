import { effect } from '@preact/signals';
import { QueryObserver } from '@tanstack/query-core';
import type { View } from '@worktrack/contracts/work-items/lists/view';
import type { listViews } from '@worktrack/contracts/work-items/lists/view-operations';
import { call } from '../../api/call.ts';
import { queries, untilAllIsRead } from '../../api/query.ts';
import { projectHere } from '../../router.ts';
import { savedViews } from './saved.ts';

export const VIEWS_KEY = 'views';

/** All that one sees. @param projectId undefined: of all projects */
export async function allViews(projectId: string | undefined, signal: AbortSignal): Promise<readonly View[]> {
  let all: readonly View[] = [];
  let cursor: string | null | undefined;
  do {
    const input = { ...(projectId && { projectId }), ...(cursor && { cursor }) };
    const page = await call<typeof listViews>('GET /api/views', input, { signal });
    all = [...all, ...page.views];
    cursor = page.nextCursor;
  } while (cursor);
  return all.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Keeps the views of the project that one is in, for the navigation. @returns what ends it */
export async function followViews(): Promise<() => void> {
  await untilAllIsRead();
  return effect(() => {
    const projectId = projectHere.value;
    if (!projectId) return;
    const observer = new QueryObserver(queries, {
      queryKey: [VIEWS_KEY, projectId],
      queryFn: ({ signal }) => allViews(projectId, signal),
      meta: { follows: ({ subject, projectId: where }) => subject.kind === 'view' && where === projectId },
    });
    const take = ({ data }: { readonly data: readonly View[] | undefined }) => {
      savedViews.value = data ?? [];
    };
    take(observer.getCurrentResult());
    return observer.subscribe(take);
  });
}
