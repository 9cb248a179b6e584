import type { Column } from '@worktrack/contracts/projects/board';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { Key } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { usePages } from '../api/query.ts';
import { Failed, Loading } from '../parts/page/states.tsx';
import { useFirstDrawn, useVirtual } from '../parts/page/virtual.ts';
import type { BoardCards, Lane } from './board-cards.ts';
import { drop } from './by-hand.ts';
import { CardView } from './card.tsx';
import { cardsOf } from './card-pages.ts';
import { type Edge, whenDraggable } from './drag.ts';

const CARD_PX = 104;
const GAP_PX = 8;
/** So many fill a lane's cell (lanes.css), however low the cards are. */
const FIRST = 6;
/** How many cards before the end of what was read the next ones are requested. */
const READ_AHEAD = 20;

/** The cards of a column, or those of a lane in it. */
export function useColumn(cards: BoardCards, { id }: Column, lane?: Lane) {
  return usePages({
    key: cards.keyOf(id, lane?.key),
    load: (cursor, signal) => cards.page(id, lane?.key, cursor, signal),
    follows: ({ subject, projectId }) => subject.kind === 'work_item' && projectId === cards.board.projectId,
    isPatched: !cards.filters.search,
    keepsEarlier: true,
  });
}

interface CardListProps {
  readonly cards: BoardCards;
  readonly column: Column;
  readonly lane?: Lane;
  readonly pages: ReturnType<typeof useColumn>;
  readonly focused: string | undefined;
  readonly onFocus: (id: string) => void;
}

/** Scrolls through cards, and takes those that are dropped. */
export function CardList({ cards, column, lane, pages, focused, onFocus }: CardListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);
  const target = useRef(lane);
  target.current = lane;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onDrop = (cardId: string, over?: { readonly cardId: string; readonly edge: Edge }) => {
      const others = cards.cardsIn(column.id, target.current?.key).filter(({ id }) => id !== cardId);
      const at = over
        ? others.findIndex(({ id }) => id === over.cardId) + (over.edge === 'after' ? 1 : 0)
        : others.length;
      const before = others[at - 1];
      drop(cards, cardId, column, before ? { after: before.id } : 'first', target.current);
    };
    return whenDraggable(({ column: accept }) => accept(element, { onOver: setOver, onDrop }));
  }, [cards, column]);

  const shown = useMemo(() => cardsOf(pages.data), [pages.data]);
  const [isEntered, setEntered] = useState(false);
  const enter = () => setEntered(true);
  return (
    <div
      ref={scroller}
      class={isOver ? 'column-cards column-over' : 'column-cards'}
      {...(lane && { onPointerEnter: enter, onDragEnter: enter, onFocusIn: enter, onScroll: enter })}
    >
      {!pages.data && pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
      {/* All of a lane are read together: eight would say so. */}
      {!pages.data && !pages.isError && !lane && <Loading />}
      <Cards
        scroller={() => scroller.current}
        isLong={!lane || isEntered}
        cards={cards}
        shown={shown}
        pages={pages}
        focused={focused}
        onFocus={onFocus}
      />
      {pages.isFetchNextPageError && <Failed error={pages.error} retry={() => void pages.fetchNextPage()} />}
    </div>
  );
}

interface CardsProps extends Pick<CardListProps, 'cards' | 'pages' | 'focused' | 'onFocus'> {
  readonly scroller: () => HTMLElement | null;
  readonly isLong: boolean;
  readonly shown: readonly Card[];
}

/**
 * Draws the cards that are in view. A board in lanes has hundreds of lists, and finding and measuring their visible cards would take most of the time. So a
 * list in a lane draws as many cards as fill it until somebody comes to it.
 */
function Cards({ scroller, isLong, ...props }: CardsProps) {
  const { cards, shown, focused } = props;
  const focusedAt = shown.findIndex(({ id }) => id === focused);
  const isInLane = cards.by !== undefined;
  const isFew = isInLane && shown.length <= FIRST;
  const list = useVirtual({
    scroller,
    count: shown.length,
    estimatePx: CARD_PX,
    gapPx: GAP_PX,
    keyOf: useCallback((index: number) => shown[index]?.id ?? String(index), [shown]),
    isEnabled: !isFew && (isLong || focusedAt >= FIRST),
    ...(isInLane && { overscan: 2 }),
  });
  useEffect(() => {
    if (focusedAt >= 0) list.scrollTo(focusedAt);
    // When it gets somewhere, not whenever the list is drawn.
  }, [focusedAt, focused]);
  // The first ones stay until it is known which are in view: with the card that has it, the focus would go.
  if (isInLane && list.entries.length === 0) {
    return <Entries {...props}>{shown.slice(0, FIRST).map(({ id }, index) => ({ key: id, index }))}</Entries>;
  }
  return (
    <Entries {...props} heightPx={list.heightPx}>
      {list.entries.map(({ index, start, key }) => ({ key, index, ref: list.measure, startPx: start }))}
    </Entries>
  );
}

interface Entry {
  readonly key: Key;
  readonly index: number;
  readonly ref?: (element: Element | null) => void;
  /** From the beginning of the list, if it is placed. */
  readonly startPx?: number;
}

interface EntriesProps extends Omit<CardsProps, 'scroller' | 'isLong'> {
  /** Of a list whose entries are placed. */
  readonly heightPx?: number;
  readonly children: readonly Entry[];
}

function Entries({ cards, shown, pages, focused, onFocus, heightPx, children }: EntriesProps) {
  // Nobody scrolls through those that only fill a lane's cell.
  const readAhead = heightPx === undefined ? 1 : READ_AHEAD;
  const isNearEnd = (children.at(-1)?.index ?? 0) >= shown.length - readAhead;
  const { hasNextPage, isFetching, fetchNextPage, isFetchNextPageError } = pages;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const total = pages.data?.pages[0]?.pagination.total ?? 0;
  const first = useFirstDrawn(children.flatMap(({ index }) => shown[index]?.id ?? []));
  const tabStop = shown.some(({ id }) => id === focused) ? focused : first;
  return (
    <div
      role={shown.length > 0 ? 'list' : undefined}
      class={heightPx === undefined ? 'column-list column-short' : 'column-list'}
      {...(heightPx !== undefined && { style: { height: `${heightPx}px` } })}
    >
      {children.map(({ key, index, ref, startPx }) => {
        const card = shown[index];
        if (!card) return null;
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            key={key}
            ref={ref}
            role="listitem"
            aria-setsize={total}
            aria-posinset={index + 1}
            data-index={index}
            class="column-entry"
            {...(startPx !== undefined && { style: { top: `${startPx}px` } })}
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
  );
}
