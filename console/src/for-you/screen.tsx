import './for-you.css';
import type { ForYouItem } from '@worktrack/contracts/gateway/for-you';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePages } from '../api/query.ts';
import { words as common } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { later } from '../parts/page/later.tsx';
import { More, type Paged, readOn } from '../parts/page/more.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { attend, attended, go, to } from '../router.ts';
import { words as verdict } from '../verdict/messages.ts';
import { SendBack } from '../verdict/verdict.tsx';
import { type Acts, useActs } from './acts.ts';
import { changesNeeds } from './changes.ts';
import { Entry } from './entry.tsx';
import { words } from './messages.ts';
import { byKind, readPage } from './needs.ts';

const InvitationLink = later(async () => (await import('../invitation/link.tsx')).InvitationLink, { isDialog: true });

/** What needs the user, over all projects: a list to go through with the keyboard, where each thing can be done in place. */
export function Screen() {
  const pages = usePages({ key: ['for-you', 'list'], load: readPage, follows: changesNeeds });
  return (
    <div class="screen for-you">
      <div class="row">
        <Heading title={words.title} />
        <a href={to('notifications')}>{words.notifications}</a>
      </div>
      <Loaded query={pages}>
        {(data) => {
          const items = data.pages.flatMap((page) => page.items);
          const counts = data.pages.at(-1)?.counts ?? {};
          return items.length === 0 ? (
            <Empty>
              <p>{words.none}</p>
              <p>
                <a href={to('board')}>{words.toBoard}</a>
              </p>
            </Empty>
          ) : (
            <>
              <List items={items} counts={counts} pages={pages} />
              <More of={pages} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface ListProps {
  readonly items: readonly ForYouItem[];
  readonly counts: Readonly<Record<string, number>>;
  readonly pages: Paged;
}

interface Shown {
  readonly id: string | undefined;
  readonly at: number;
  readonly item?: ForYouItem | undefined;
}

function List({ items: all, counts, pages }: ListProps) {
  const acts = useActs();
  const open = all.filter(({ id }) => !acts.isDone(id));
  const [{ id: chosenId }, choose] = useState({ id: attended });
  useLayoutEffect(() => attend(chosenId), [chosenId]);
  // It stays the same whatever comes above it, or comes back. What took the place of one that was dealt with here is next.
  const shown = useRef<Shown>({ id: chosenId, at: 0 });
  const { item: last } = shown.current;
  const found = open.findIndex(({ id }) => id === shown.current.id);
  // What somebody else has dealt with stays in its place until one goes on: a key is meant for what one has read. No key
  // judges a question, which goes once its answer is heard.
  const isLeft = found < 0 && last?.id === shown.current.id && last?.kind !== 'question';
  const left = isLeft && last && !acts.isDone(last.id) ? last : undefined;
  const items = left ? open.toSpliced(shown.current.at, 0, left) : open;
  // Unless others came before it: whether it is on a page that is not read yet is known once that is.
  const rank = ({ kind, since, id }: ForYouItem) => `${Object.keys(counts).indexOf(kind) + 10}${since}${id}`;
  const isUnread = left && pages.hasNextPage && all.every((each) => rank(each) < rank(left));
  const gone = isUnread ? undefined : left;
  useEffect(() => {
    if (isUnread) readOn(pages, 0, 0);
  }, [isUnread, all.length]);
  const at = found >= 0 ? found : Math.max(0, Math.min(shown.current.at, items.length - 1));
  const chosen = items[at];
  shown.current = { id: chosen?.id, at, item: chosen };
  // Back is where one was, as j and k lead to it.
  const isStepped = useRef(attended !== undefined);
  const take = (id: string) => {
    shown.current = { ...shown.current, id };
    choose({ id });
  };
  const step = (id: string) => {
    isStepped.current = true;
    take(id);
  };
  useKeys({ items, at, gone, choose: step, pages, acts });
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Another key has led on since it was drawn: the focus would lead back. What a dialog returns the focus to may be gone.
    if (items.some(({ id }) => id === shown.current.id && id !== chosen?.id)) return;
    const entry = list.current?.querySelector('[aria-current="true"]');
    entry?.scrollIntoView({ block: 'nearest' });
    // What a key led to has the focus, so that Tab leads to what can be done about it.
    if (isStepped.current) entry?.querySelector('a')?.focus({ preventScroll: true });
    isStepped.current = false;
  }, [chosen?.id]);
  return (
    <div ref={list} class="stack">
      {byKind(items).map(([kind, its]) => (
        <section key={kind} class="for-you-kind" aria-label={words[kind]}>
          <h2>
            {words[kind]} <span class="quiet">{counts[kind]}</span>
          </h2>
          <ul class="plain">
            {its.map((item) => (
              <Entry
                key={item.id}
                item={item}
                isChosen={item === chosen}
                isGone={item === gone}
                choose={() => take(item.id)}
                acts={acts}
              />
            ))}
          </ul>
        </section>
      ))}
      {acts.inviting && <InvitationLink user={acts.inviting} onClose={acts.closeInvite} />}
      {acts.sendingBack?.workItem && (
        <SendBack
          taskId={acts.sendingBack.workItem.taskId}
          isBusy={false}
          onSend={acts.sendBack}
          onClose={acts.closeSendBack}
        />
      )}
    </div>
  );
}

interface Reached extends Pick<ListProps, 'items' | 'pages'> {
  readonly at: number;
  readonly gone: ForYouItem | undefined;
  readonly choose: (id: string) => void;
  readonly acts: Acts;
}

function useKeys({ items, at, gone, choose, pages, acts }: Reached): void {
  const chosen = items[at];
  const step = (by: number) => () => {
    const item = items[Math.max(0, Math.min(items.length - 1, at + by))];
    if (item) choose(item.id);
    readOn(pages, at + by, items.length);
  };
  const withChosen = (act: (item: ForYouItem) => void) => () => {
    if (chosen && chosen === gone) tell(words.gone);
    else if (chosen) act(chosen);
  };
  const open = () => {
    if (chosen?.workItem) go(to(`items/${chosen.workItem.taskId}`));
  };
  useShortcuts([
    { keys: 'j', label: words.next, run: step(1) },
    { keys: 'k', label: words.previous, run: step(-1) },
    { keys: 'o', label: common.open, run: open },
    { keys: 'a', label: verdict.approve, run: withChosen(acts.approve) },
    { keys: 'x', label: common.sendBack, run: withChosen(acts.askSendBack) },
    { keys: 'i', label: words.takeIt, run: withChosen(acts.assignToMe) },
  ]);
}
