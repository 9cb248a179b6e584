import type { showWatch, unwatchWorkItem, watchWorkItem } from '@worktrack/contracts/gateway/notifications';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useEffect } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { markRead } from '../notifications/read.ts';
import { attempt } from '../parts/busy.ts';
import { watchIcon } from '../parts/icons.ts';
import type { MenuItem } from '../parts/popup/menu.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { words } from './messages.ts';

/** Begins or ends to watch an item: an entry of its menu, once it is known which. What was told of the item has been seen now. */
export function useWatch({ id, taskId }: WorkItem): readonly MenuItem[] {
  const key = ['watch', id];
  const { data } = useQuery({
    key,
    load: (signal) => call<typeof showWatch>('GET /api/work-items/:workItemId/watch', { workItemId: id }, { signal }),
  });
  const hasUnread = data?.hasUnread;
  useEffect(() => {
    if (hasUnread) void markSeen(id);
  }, [hasUnread, id]);
  if (!data) return [];
  const { watching } = data;
  const toggle = () =>
    attempt(words.watchNotChanged, async () => {
      const changed = watching
        ? await call<typeof unwatchWorkItem>('DELETE /api/work-items/:workItemId/watch', { workItemId: id })
        : await call<typeof watchWorkItem>('PUT /api/work-items/:workItemId/watch', { workItemId: id });
      queries.setQueryData(key, { ...data, ...changed });
      tell(watching ? words.unwatched({ taskId }) : words.watched({ taskId }));
    });
  return [{ label: watching ? words.unwatch : words.watch, icon: watchIcon, run: () => void toggle() }];
}

/** Nobody asked for it, so nobody is told if it fails: the notification stays unread, as it was. */
async function markSeen(workItemId: string): Promise<void> {
  const known = { queryKey: ['watch', workItemId] };
  await markRead({ workItemId }).then(
    () => queries.invalidateQueries(known),
    () => undefined,
  );
}
