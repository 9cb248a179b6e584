import '../for-you/for-you.css';
import type {
  getNotificationSettings,
  NotificationKind,
  readNotifications,
  updateNotificationSettings,
} from '@worktrack/contracts/events/notifications';
import type { listNotifications, Notification } from '@worktrack/contracts/gateway/notifications';
import { call } from '../api/call.ts';
import { queries, usePages, useQuery } from '../api/query.ts';
import { changesNeeds } from '../for-you/needs.ts';
import { attempt, useBusy } from '../parts/busy.ts';
import { Heading } from '../parts/heading.tsx';
import { More } from '../parts/more.tsx';
import { useNames } from '../parts/people.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { When } from '../parts/when.tsx';
import { to } from '../router.ts';
import { words } from './messages.ts';

const LIST = ['notifications', 'list'];
const SETTINGS = ['notifications', 'settings'];
const PAGE = 50;

/** What the user was told of, newest first, and of what they want to be told. */
export function Screen() {
  const pages = usePages({
    key: LIST,
    load: (cursor, signal) =>
      call<typeof listNotifications>('GET /api/notifications', { cursor, limit: PAGE }, { signal }),
    follows: changesNeeds,
  });
  const nameOf = useNames();
  return (
    <div class="screen for-you">
      <Heading title={words.title} />
      <Loaded query={pages}>
        {(data) => {
          const all = data.pages.flatMap(({ notifications }) => notifications);
          const unread = data.pages.at(-1)?.unread ?? 0;
          if (all.length === 0) return <Empty>{words.none}</Empty>;
          return (
            <div class="stack">
              {unread > 0 && <MarkAll />}
              <div class="for-you-kind">
                <ul class="plain">
                  {all.map((each) => (
                    <Told
                      key={each.id}
                      told={each}
                      by={each.actor && (each.actor.agent ?? nameOf(each.actor.userId))}
                    />
                  ))}
                </ul>
              </div>
              <More of={pages} />
            </div>
          );
        }}
      </Loaded>
      <Kinds />
    </div>
  );
}

interface ToldProps {
  readonly told: Notification;
  /** The agent, or the person. null: the service. */
  readonly by: string | null;
}

function Told({ told: { kind, taskId, text, at, read, workItem }, by }: ToldProps) {
  return (
    <li class="for-you-entry">
      <div class="for-you-what">
        <span class="row">
          <a href={to(`items/${taskId}`)}>
            <span class="quiet">{taskId}</span> {workItem?.title}
          </a>
          <span class="quiet">
            <When at={at} />
          </span>
          {!read && <strong>{words.unread}</strong>}
        </span>
        <p class="quiet">
          {[by, kind === 'comment' || kind === 'mention' ? text : words[kind]].filter(Boolean).join(': ')}
        </p>
      </div>
    </li>
  );
}

function MarkAll() {
  const { isBusy, run } = useBusy(words.notMarked);
  const mark = () =>
    run(async () => {
      await call<typeof readNotifications>('POST /api/notifications/read', {});
      await Promise.all([LIST, ['for-you']].map((queryKey) => queries.invalidateQueries({ queryKey })));
    });
  return (
    <div>
      <button type="button" class="button" aria-disabled={isBusy} onClick={() => void mark()}>
        {words.markAll}
      </button>
    </div>
  );
}

function Kinds() {
  const route = '/api/me/notifications';
  const settings = useQuery({
    key: SETTINGS,
    load: (signal) => call<typeof getNotificationSettings>(`GET ${route}`, {}, { signal }),
  });
  const change = (kind: NotificationKind, isOn: boolean) =>
    attempt(words.notChanged, async () => {
      const changed = await call<typeof updateNotificationSettings>(`PATCH ${route}`, { kinds: { [kind]: isOn } });
      queries.setQueryData(SETTINGS, changed);
    });
  return (
    <Loaded query={settings}>
      {({ kinds }) => (
        <fieldset class="stack">
          <legend>{words.told}</legend>
          {(Object.keys(kinds) as NotificationKind[]).map((kind) => (
            <label key={kind} class="row">
              <input
                type="checkbox"
                checked={kinds[kind]}
                onChange={({ currentTarget }) => void change(kind, currentTarget.checked)}
              />
              {words[kind]}
            </label>
          ))}
        </fieldset>
      )}
    </Loaded>
  );
}
