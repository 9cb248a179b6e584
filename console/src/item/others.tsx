import type { announcePresence } from '@worktrack/contracts/gateway/presence';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { words } from './messages.ts';

const REPEAT_EVERY_MS = 10_000;
const MAX_SHOWN = 5;

/** Who else looks at the item now; the others learn it of oneself, as long as the page is in view. */
export function Others({ item: { id } }: { readonly item: WorkItem }) {
  const { data } = useQuery({
    key: ['presence', id],
    load: (signal) =>
      call<typeof announcePresence>('PUT /api/work-items/:workItemId/presence', { workItemId: id }, { signal }),
    repeatEveryMs: REPEAT_EVERY_MS,
  });
  const people = data?.people ?? [];
  return (
    <span class="row item-others" role="status">
      {people.slice(0, MAX_SHOWN).map(({ id: personId, name }) => (
        <Avatar key={personId} name={name} label={words.isHereToo({ name })} />
      ))}
      {people.length > MAX_SHOWN && `+${people.length - MAX_SHOWN}`}
    </span>
  );
}
