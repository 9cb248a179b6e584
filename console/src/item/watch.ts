import type { showWatch, unwatchWorkItem, watchWorkItem } from '@worktrack/contracts/gateway/notifications';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { attempt } from '../parts/busy.ts';
import { watchIcon } from '../parts/icons.ts';
import type { MenuItem } from '../parts/menu.tsx';
import { tell } from '../parts/toasts.tsx';
import { words } from './messages.ts';

/** Begins or ends to watch an item: an entry of its menu, once it is known which. */
export function useWatch({ id, taskId }: WorkItem): readonly MenuItem[] {
  const key = ['watch', id];
  const { data } = useQuery({
    key,
    load: (signal) => call<typeof showWatch>('GET /api/work-items/:workItemId/watch', { workItemId: id }, { signal }),
  });
  if (!data) return [];
  const { watching } = data;
  const toggle = () =>
    attempt(words.watchNotChanged, async () => {
      const changed = watching
        ? await call<typeof unwatchWorkItem>('DELETE /api/work-items/:workItemId/watch', { workItemId: id })
        : await call<typeof watchWorkItem>('PUT /api/work-items/:workItemId/watch', { workItemId: id });
      queries.setQueryData(key, changed);
      tell(watching ? words.unwatched({ taskId }) : words.watched({ taskId }));
    });
  return [{ label: watching ? words.unwatch : words.watch, icon: watchIcon, run: () => void toggle() }];
}
