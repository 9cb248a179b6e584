import './inbox.css';
import type { getFeedback, listFeedback } from '@worktrack/contracts/feedback/inbox';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { usePages, useQuery } from '../api/query.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { backIcon } from '../parts/icons.ts';
import { Heading } from '../parts/page/heading.tsx';
import { More, type Paged, readOn } from '../parts/page/more.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { When } from '../parts/when.tsx';
import { filter, setFilters, to } from '../router.ts';
import { may } from '../session.ts';
import { words as start } from '../start/messages.ts';
import { filtersOfAddress, isOfFeedback } from './feedback.ts';
import { FilterChoices } from './filters.tsx';
import { words } from './messages.ts';
import { Asked, type Asking, Submission, triage } from './submission.tsx';

const PAGE = 50;

/** What the public says: a list to go through with the keyboard, next to the one that is selected. */
export function Screen() {
  const filters = filtersOfAddress();
  // Of the one that it was opened for, whatever becomes of the list.
  const [asking, ask] = useState<Asking>();
  const pages = usePages({
    key: ['feedback', filters],
    load: (cursor, signal) =>
      call<typeof listFeedback>('GET /api/feedback/items', { ...filters, cursor, limit: PAGE }, { signal }),
    follows: isOfFeedback,
    keepsEarlier: true,
  });
  // What is shown until the list with other filters is there is still of these.
  const of = useRef('');
  if (!pages.isPlaceholderData) of.current = JSON.stringify(filters);
  return (
    <div class="screen inbox">
      <Heading title={words.title} />
      <FilterChoices />
      <Loaded query={pages}>
        {(data) => {
          const items = data.pages.flatMap((page) => page.items);
          if (items.length === 0) {
            return (
              <Empty>
                <p>{words.none}</p>
                <p>{words.noneHelp}</p>
                {may('feedback:write') && <a href={to('settings/sources')}>{start.toSources}</a>}
              </Empty>
            );
          }
          return <Items key={of.current} items={items} pages={pages} ask={ask} />;
        }}
      </Loaded>
      {asking && <Asked {...asking} onClose={() => ask(undefined)} />}
    </div>
  );
}

interface ItemsProps {
  readonly items: readonly FeedbackItem[];
  readonly pages: Paged;
  readonly ask: (asking: Asking) => void;
}

function Items({ items, pages, ask }: ItemsProps) {
  const list = useRef<HTMLUListElement>(null);
  const one = useRef<HTMLDivElement>(null);
  const wanted = filter('item');
  // It stays the same whatever comes above it, or takes it out of the list: a key is meant for what one has read.
  const shown = useRef({ wanted, id: wanted, at: 0 });
  if (shown.current.wanted !== wanted) shown.current = { ...shown.current, wanted, id: wanted };
  const { id } = shown.current;
  const index = items.findIndex((item) => item.id === id);
  const isListed = !id || index >= 0;
  const other = useQuery({
    key: ['submission', id],
    load: (signal) => call<typeof getFeedback>('GET /api/feedback/items/:id', { id: id ?? '' }, { signal }),
    follows: ({ subject }) => subject.id === id,
    enabled: !isListed,
  });
  const at = index >= 0 ? index : Math.min(shown.current.at, items.length - 1);
  const chosen = isListed ? items[at] : undefined;
  shown.current = { wanted, id: chosen?.id ?? id, at };

  const choose = (to: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))];
    // On a phone it takes the place of the list, to which one comes back.
    if (item) setFilters({ item: item.id }, one.current?.checkVisibility() ? 'replace' : 'push');
    readOn(pages, to, items.length);
  };
  // Of one that is not listed, the next one has taken its place.
  const next = () => choose(isListed ? at + 1 : at);
  useShortcuts([
    { keys: 'j', label: words.nextItem, run: next },
    { keys: 'k', label: words.previousItem, run: () => choose(at - 1) },
  ]);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const isDrawn = useRef(false);
  useLayoutEffect(() => {
    if (!isDrawn.current) isDrawn.current = true;
    else if (!list.current?.checkVisibility()) one.current?.focus();
    else if (!one.current?.checkVisibility()) list.current.querySelector<HTMLElement>('[aria-current]')?.focus();
  }, [wanted]);

  const show = (item: FeedbackItem) => <Submission key={item.id} item={item} next={next} ask={ask} />;
  return (
    <div class={wanted ? 'inbox-two inbox-opened' : 'inbox-two'}>
      <div class="inbox-list">
        <ul ref={list} class="plain" aria-label={words.list}>
          {items.map((item, itemAt) => (
            <li key={item.id}>
              <button
                type="button"
                class="inbox-entry"
                aria-current={item === chosen ? 'true' : undefined}
                onClick={() => choose(itemAt)}
              >
                <span class="inbox-text" dir="auto">
                  {item.erasedAt ? words.erased : item.message}
                </span>
                <span class="quiet row">
                  <span class="tag">{words[item.status]}</span>
                  <span>{words[item.category]}</span>
                  <When at={item.createdAt} />
                </span>
              </button>
              {may('feedback:write') && <Swiped item={item} />}
            </li>
          ))}
        </ul>
        <More of={pages} />
      </div>
      <div ref={one} class="inbox-one" tabIndex={-1}>
        <button type="button" class="button button-quiet inbox-back" onClick={() => setFilters({ item: undefined })}>
          <Icon of={backIcon} />
          {words.title}
        </button>
        {isListed ? chosen && show(chosen) : <Loaded query={other}>{show}</Loaded>}
      </div>
    </div>
  );
}

/** On a phone, behind the end of a row: a swipe shows what a tap then does. */
function Swiped({ item }: { readonly item: FeedbackItem }) {
  return (
    <span class="inbox-swiped">
      {(['triaged', 'dismissed'] as const).map((status) => (
        <Button
          key={status}
          text={words[status]}
          onClick={({ currentTarget }) => {
            currentTarget.closest('li')?.scrollTo(0, 0);
            void triage(item, status);
          }}
        />
      ))}
    </span>
  );
}
