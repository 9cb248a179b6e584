import './agents.css';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { queries, useQuery } from '../api/query.ts';
import { now } from '../clock.ts';
import { useBeats } from '../live/live.ts';
import { isNews } from '../parts/item/lease.ts';
import { Heading } from '../parts/page/heading.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { useKeyNames } from '../parts/people/key-names.ts';
import { HeldBy } from './held-by.tsx';
import { byUrgency, changesLeases, type HeldItem, heldItems, MAX_SHOWN } from './leases.ts';
import { words } from './messages.ts';

/** Every agent at work: on what, since when, how far along, and what it is waiting for. */
export function Screen() {
  const key = ['agents'];
  const held = useQuery({ key, load: heldItems, follows: changesLeases });
  const nameOf = useKeyNames();
  useBeats((beat) => {
    queries.setQueryData<readonly HeldItem[]>(key, (items) => items && heard(items, beat));
  });
  return (
    <div class="screen">
      <Heading title={words.title} />
      <Loaded query={held}>
        {(items) =>
          items.length === 0 ? (
            <Empty>
              <p>{words.none}</p>
              <p>{words.noneHelp}</p>
            </Empty>
          ) : (
            <>
              <p role="status" class="quiet">
                {words.count({ n: items.length })} {items.length > MAX_SHOWN && words.more({ n: MAX_SHOWN })}
              </p>
              <ul class="plain agents">
                {byUrgency(items, now.value)
                  .slice(0, MAX_SHOWN)
                  .map((item) => (
                    <HeldBy key={item.id} item={item} keyName={nameOf(item.lease.keyId)} />
                  ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

/** The list with what heartbeats report, which is in no event of the log. */
function heard(items: readonly HeldItem[], { workItemId, lease }: Beat): readonly HeldItem[] {
  const at = items.findIndex(({ id }) => id === workItemId);
  const item = items[at];
  return item && isNews(lease, item.lease) ? items.with(at, { ...item, lease }) : items;
}
