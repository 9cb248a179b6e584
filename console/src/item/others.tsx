import type { announcePresence } from '@worktrack/contracts/gateway/presence';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useEffect } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { words } from './messages.ts';

const REPEAT_EVERY_MS = 5_000;
const MAX_SHOWN = 5;
const ROUTE = 'PUT /api/work-items/:workItemId/presence';

/** Who else looks at the item now; the others learn it of oneself, as long as the page is in view. */
export function Others({ item: { id } }: { readonly item: WorkItem }) {
  const { data, isError } = useQuery({
    key: ['presence', id],
    load: (signal) => call<typeof announcePresence>(ROUTE, { workItemId: id }, { signal }),
    repeatEveryMs: REPEAT_EVERY_MS,
  });
  useEffect(() => {
    const leave = () => {
      const left = { workItemId: id, isLeaving: true };
      call<typeof announcePresence>(ROUTE, left, { keepalive: true }).catch(() => undefined);
    };
    const leaveIfHidden = () => document.hidden && leave();
    document.addEventListener('visibilitychange', leaveIfHidden);
    return () => {
      document.removeEventListener('visibilitychange', leaveIfHidden);
      leave();
    };
  }, [id]);
  // Whoever may no longer see the item no longer sees who is at it.
  const people = (!isError && data?.people) || [];
  return (
    <span class="row item-others" role="status">
      {people.slice(0, MAX_SHOWN).map(({ id: personId, name }) => (
        <Avatar key={personId} name={name} label={words.isHereToo({ name })} />
      ))}
      {people.length > MAX_SHOWN && `+${people.length - MAX_SHOWN}`}
    </span>
  );
}
