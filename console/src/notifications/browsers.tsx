import type { listBrowsers } from '@worktrack/contracts/events/push';
import type { Output } from '@worktrack/contracts/operation';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { attempt } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { words as parts } from '../parts/messages.ts';
import { Loaded } from '../parts/page/states.tsx';
import { When } from '../parts/when.tsx';
import { words } from './messages.ts';
import { followWorker, isPossible, ownId, remove, switchOff, switchOn } from './push.ts';

const BROWSERS = ['notifications', 'browsers'];
const refresh = () => queries.invalidateQueries({ queryKey: BROWSERS });

/** The browsers that are told by push. */
export function Browsers() {
  const browsers = useQuery({
    key: BROWSERS,
    load: async (signal) => {
      await followWorker().catch(() => {});
      return call<typeof listBrowsers>('GET /api/me/push', {}, { signal });
    },
  });
  return <Loaded query={browsers}>{(all) => all.publicKey && <All {...all} />}</Loaded>;
}

function All({ publicKey, subscriptions }: Output<typeof listBrowsers>) {
  /** What was chosen, until it is so or has failed. */
  const [wanted, setWanted] = useState<boolean>();
  const [isFailed, setFailed] = useState(false);
  const isDenied = isPossible && Notification.permission === 'denied';
  const own = subscriptions.find(({ id }) => id === ownId());
  const others = subscriptions.filter((each) => each !== own);
  const why = isPossible ? (isDenied ? words.denied : isFailed && words.noPush) : words.unsupported;
  const set = (isOn: boolean) =>
    attempt(words.notChanged, async () => {
      setWanted(isOn);
      try {
        setFailed(!(await (isOn ? switchOn(publicKey ?? '') : switchOff())));
        await refresh();
      } finally {
        setWanted(undefined);
      }
    });
  const drop = (id: string) =>
    attempt(words.notChanged, async () => {
      await remove(id);
      await refresh();
    });
  return (
    <div class="stack">
      <label class="row">
        <input
          type="checkbox"
          checked={wanted ?? (own !== undefined && !isDenied)}
          disabled={!isPossible || isDenied}
          onChange={({ currentTarget }) => void set(currentTarget.checked)}
        />
        {words.here}
      </label>
      {why && <p role="status">{why}</p>}
      {others.length > 0 && (
        <ul class="plain">
          {others.map(({ id, browser, createdAt, lastUsedAt }) => (
            <li key={id} class="row">
              {browser} <When at={lastUsedAt ?? createdAt} />
              <Button text={parts.remove({ what: browser ?? '' })} onClick={() => void drop(id)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
