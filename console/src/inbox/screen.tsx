import './inbox.css';
import type { listFeedback } from '@worktrack/contracts/feedback/inbox';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { usePages } from '../api/query.ts';
import { words as common } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { When } from '../parts/when.tsx';
import { filter, setFilters } from '../router.ts';
import { filtersOfAddress, isOfFeedback } from './feedback.ts';
import { FilterChoices } from './filters.tsx';
import { words } from './messages.ts';
import { Asked, type Asking, Submission } from './submission.tsx';

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
              </Empty>
            );
          }
          return (
            <Items
              items={items}
              more={pages.hasNextPage ? () => void pages.fetchNextPage() : undefined}
              isFetching={pages.isFetchingNextPage}
              ask={ask}
            />
          );
        }}
      </Loaded>
      {asking && <Asked {...asking} onClose={() => ask(undefined)} />}
    </div>
  );
}

interface ItemsProps {
  readonly items: readonly FeedbackItem[];
  readonly more: (() => void) | undefined;
  readonly isFetching: boolean;
  readonly ask: (asking: Asking) => void;
}

function Items({ items, more, isFetching, ask }: ItemsProps) {
  const list = useRef<HTMLUListElement>(null);
  const wanted = filter('item');
  // It stays the same whatever comes above it. If one no longer fits the filters, the one that took its place is next.
  const shown = useRef({ wanted, id: wanted, at: 0 });
  if (shown.current.wanted !== wanted) shown.current = { ...shown.current, wanted, id: wanted };
  const index = items.findIndex(({ id }) => id === shown.current.id);
  const at = index >= 0 ? index : Math.min(shown.current.at, items.length - 1);
  const chosen = items[at];
  shown.current = { wanted, id: chosen?.id, at };

  const choose = (to: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))];
    if (item) setFilters({ item: item.id });
    if (to >= items.length - 1) more?.();
  };
  const latest = useRef({ choose, at });
  latest.current = { choose, at };
  useShortcuts(
    useMemo(
      () => [
        { keys: 'j', label: words.nextItem, run: () => latest.current.choose(latest.current.at + 1) },
        { keys: 'k', label: words.previousItem, run: () => latest.current.choose(latest.current.at - 1) },
      ],
      [],
    ),
  );
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  return (
    <div class="inbox-two">
      <div class="inbox-list">
        <ul ref={list} class="plain" aria-label={words.list}>
          {items.map((item, itemAt) => (
            <li key={item.id}>
              <button
                type="button"
                class="inbox-entry"
                aria-current={itemAt === at ? 'true' : undefined}
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
            </li>
          ))}
        </ul>
        {more && (
          <button type="button" class="button" aria-disabled={isFetching} onClick={more}>
            {common.more}
          </button>
        )}
      </div>
      {chosen && <Submission key={chosen.id} item={chosen} next={() => choose(at + 1)} ask={ask} />}
    </div>
  );
}
