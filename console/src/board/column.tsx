import type { Column } from '@worktrack/contracts/projects/board';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePages } from '../api/query.ts';
import { openCreate } from '../create/open.ts';
import { Icon } from '../parts/icon.tsx';
import { createIcon } from '../parts/icons.ts';
import { StateIcon } from '../parts/item/item-icons.tsx';
import { Failed, Loading } from '../parts/page/states.tsx';
import { useVirtual } from '../parts/page/virtual.ts';
import { may } from '../session.ts';
import type { BoardCards } from './board-cards.ts';
import { CardView } from './card.tsx';
import { cardsOf } from './card-pages.ts';
import { type Edge, whenDraggable } from './drag.ts';
import { words } from './messages.ts';

const CARD_PX = 104;
const GAP_PX = 8;
/** How many cards before the end of what was read the next ones are requested. */
const READ_AHEAD = 20;

interface ColumnProps {
  readonly column: Column;
  readonly cards: BoardCards;
  readonly focused: string | undefined;
  readonly onFocus: (id: string) => void;
}

export function ColumnView({ column, cards, focused, onFocus }: ColumnProps) {
  const pages = usePages({
    key: cards.keyOf(column.id),
    load: (cursor, signal) => cards.page(column.id, cursor, signal),
    follows: ({ subject, projectId }) => subject.kind === 'work_item' && projectId === cards.board.projectId,
    isPatched: true,
    keepsEarlier: true,
  });
  const scroller = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);
  const shown = cardsOf(pages.data);
  const list = useVirtual({
    scroller: () => scroller.current,
    count: shown.length,
    estimatePx: CARD_PX,
    gapPx: GAP_PX,
    keyOf: (index) => shown[index]?.id ?? String(index),
  });

  const lastDrawn = list.entries.at(-1)?.index ?? 0;
  const isNearEnd = lastDrawn >= shown.length - READ_AHEAD;
  const { hasNextPage, isFetching, fetchNextPage, isFetchNextPageError } = pages;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);

  const focusedAt = shown.findIndex(({ id }) => id === focused);
  useEffect(() => {
    if (focusedAt >= 0) list.scrollTo(focusedAt);
    // When it gets somewhere, not whenever the list is drawn.
  }, [focusedAt, focused]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onDrop = (cardId: string, over?: { readonly cardId: string; readonly edge: Edge }) => {
      const others = cards.cardsIn(column.id).filter(({ id }) => id !== cardId);
      const at = over
        ? others.findIndex(({ id }) => id === over.cardId) + (over.edge === 'after' ? 1 : 0)
        : others.length;
      const before = others[at - 1];
      cards.move(cardId, column, before ? { after: before.id } : 'first');
    };
    return whenDraggable(({ column: accept }) => accept(element, { onOver: setOver, onDrop }));
  }, [cards, column]);

  const pagination = pages.data?.pages[0]?.pagination;
  const total = pagination?.total ?? 0;
  const { limit } = column;
  const count = pagination?.totalIsLowerBound ? words.atLeast({ n: total }) : words.count({ n: total });
  const many = limit === null ? count : `${count}${words.comma}${words.limit({ n: limit })}`;
  const isOverLimit = limit !== null && total > limit;
  const tabStop = focusedAt >= 0 ? focused : shown[list.entries[0]?.index ?? 0]?.id;
  return (
    <section
      class={`column ${isOver ? 'column-over' : ''} ${pagination && total === 0 ? 'column-empty' : ''}`}
      aria-label={`${column.name}, ${many}`}
      data-column={column.id}
    >
      <div class="column-head">
        <h2>
          <StateIcon role={column.role} />
          {column.name}
          {pagination && (
            <span class={isOverLimit ? 'column-count column-full' : 'column-count'} title={many} aria-hidden="true">
              {total}
              {pagination.totalIsLowerBound && '+'}
              {limit !== null && ` / ${limit}`}
            </span>
          )}
        </h2>
        {may('work-items:write') && (
          <button
            type="button"
            class="button button-quiet button-icon column-create"
            aria-label={words.createIn({ column: column.name })}
            title={words.createIn({ column: column.name })}
            onClick={() =>
              openCreate({ projectId: cards.board.projectId, boardId: cards.board.id, columnId: column.id })
            }
          >
            <Icon of={createIcon} />
          </button>
        )}
      </div>

      <div ref={scroller} class="column-cards">
        {!pages.data &&
          (pages.isError ? <Failed error={pages.error} retry={() => void pages.refetch()} /> : <Loading />)}
        <div role={shown.length > 0 ? 'list' : undefined} class="column-list" style={{ height: `${list.heightPx}px` }}>
          {list.entries.map(({ index, start, key }) => {
            const card = shown[index];
            if (!card) return null;
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above
              <div
                key={key}
                ref={list.measure}
                role="listitem"
                aria-setsize={total}
                aria-posinset={index + 1}
                data-index={index}
                class="column-entry"
                style={{ transform: `translateY(${start}px)` }}
              >
                <CardView
                  card={card}
                  cards={cards}
                  isTabStop={card.id === tabStop}
                  hasFocus={card.id === focused}
                  onFocus={onFocus}
                />
              </div>
            );
          })}
        </div>
        {pages.isFetchNextPageError && <Failed error={pages.error} retry={() => void fetchNextPage()} />}
      </div>
    </section>
  );
}
