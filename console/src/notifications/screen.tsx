import '../for-you/for-you.css';
import type { listNotifications, Notification } from '@worktrack/contracts/gateway/notifications';
import { call } from '../api/call.ts';
import { usePages } from '../api/query.ts';
import { changesNeeds } from '../for-you/changes.ts';
import { words as forYou } from '../for-you/messages.ts';
import { useBusy } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/page/heading.tsx';
import { More } from '../parts/page/more.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { useNames } from '../parts/people/people.ts';
import { When } from '../parts/when.tsx';
import { to } from '../router.ts';
import { words } from './messages.ts';
import { LIST, markRead } from './read.ts';
import { Settings } from './settings.tsx';

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
      <div class="row">
        <Heading title={forYou.notifications} />
        <a href={to('for-you')}>{forYou.title}</a>
      </div>
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
      <Settings />
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
            <span class="quiet">{taskId}</span> <bdi>{workItem?.title}</bdi>
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
  const { isBusy, run } = useBusy(forYou.notRead);
  const mark = () => run(() => markRead({}));
  return (
    <div>
      <Button text={words.markAll} aria-disabled={isBusy} onClick={() => void mark()} />
    </div>
  );
}
