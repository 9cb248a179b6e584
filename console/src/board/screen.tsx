import './board.css';
import type { Board } from '@worktrack/contracts/projects/board';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { queries } from '../api/query.ts';
import { useShown } from '../change/shown.ts';
import { usePlace } from '../create/open.ts';
import { language } from '../language/language.ts';
import { useBeats, useEvents } from '../live/live.ts';
import { Heading } from '../parts/page/heading.tsx';
import { later } from '../parts/page/later.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Empty } from '../parts/page/states.tsx';
import { filter, setFilters } from '../router.ts';
import { may } from '../session.ts';
import { isSample } from '../start/sample/mark.ts';
import { ItemsBar, SEARCH_ID } from '../views/bar.tsx';
import { cardFilters, FIELDS, NO_FILTERS } from '../views/filters.ts';
import { words as viewWords } from '../views/messages.ts';
import { selected, selectNothing, toggle } from '../views/selection.ts';
import { WorkOf } from '../views/work.tsx';
import { BoardCards, said, sendingBack } from './board-cards.ts';
import { ColumnView } from './column.tsx';
import { whenDraggable } from './drag.ts';
import { words } from './messages.ts';
import { catchUp } from './open.ts';

// Rarely seen, and not while a board is first drawn.
const FirstSteps = later(async () => (await import('../start/first-steps.tsx')).FirstSteps);
const Reason = later(async () => (await import('../parts/item/reason.tsx')).Reason);
const SelectionBar = later(async () => (await import('../views/selection-bar.tsx')).SelectionBar);
const SampleBar = later(async () => (await import('../start/sample/bar.tsx')).SampleBar);

export function Screen() {
  return (
    <div class="board-screen">
      <Heading title={words.board} unseen />
      <WorkOf>
        {({ projects, project, boards }) => {
          const wanted = filter('board') ?? project.defaultBoardId;
          const board = boards.find(({ id }) => id === wanted) ?? boards[0];
          return (
            board && (
              <>
                {isSample(project) && <SampleBar project={project} />}
                <ItemsBar projectId={project.id} boards={boards} board={board} fields={BOARD_FIELDS} />
                <Columns
                  key={board.id}
                  board={board}
                  firstSteps={isSample(project) ? null : <FirstSteps projects={projects} board={board} />}
                />
              </>
            )
          );
        }}
      </WorkOf>
    </div>
  );
}

/** All columns are shown. */
const BOARD_FIELDS = FIELDS.filter((field) => field !== 'boardColumnId');

interface ColumnsProps {
  readonly board: Board;
  /** Shown while there are no cards. */
  readonly firstSteps: ComponentChildren;
}

function Columns({ board, firstSteps }: ColumnsProps) {
  const filters = cardFilters();
  const key = JSON.stringify([board, filters]);
  const cards = useMemo(() => new BoardCards(board, filters), [key]);
  usePlace({ projectId: board.projectId, boardId: board.id });
  const [focused, setFocused] = useState<string>();
  const onFocus = useCallback((id: string) => setFocused(id), []);
  useEvents(useCallback((event) => cards.hear(event), [cards]));
  useBeats(useCallback((beat) => cards.hearBeat(beat), [cards]));
  useShown(cards);
  useEffect(() => catchUp(), []);
  useEffect(() => selectNothing, [cards]);
  const isEmpty = useIsEmpty(cards);

  useShortcuts(
    useMemo(
      () => [
        { keys: '/', label: words.keysSearch, run: () => document.getElementById(SEARCH_ID)?.focus() },
        { keys: '↑ ↓ ← →', label: words.keysFocus },
        ...(may('work-items:write')
          ? [
              { keys: 'Alt+← →', label: words.keysMoveAcross },
              { keys: 'Alt+↑ ↓', label: words.keysMoveWithin },
              { keys: SELECT_KEY, label: words.keysSelect },
            ]
          : []),
      ],
      [language.value],
    ),
  );

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const found = focused ? cards.find(focused) : undefined;
    const isOnCard = event.target instanceof Element && event.target.closest('[data-card]');
    if (event.key === SELECT_KEY && found && isOnCard && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      if (may('work-items:write')) toggle(found.card.id);
      return;
    }
    if (!step || !found || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const next = event.altKey ? moved(cards, found, step) : neighbour(cards, found, step);
    if (next) setFocused(next);
  };

  const scroller = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = scroller;
    if (current) return whenDraggable((dragging) => dragging.board(current));
  }, []);

  const hasFilters = Object.values(filters).some(Boolean);
  return (
    <>
      {isEmpty && (
        <Empty>
          <p>{hasFilters ? viewWords.noMatches : words.noCards}</p>
          {hasFilters && (
            <button type="button" class="button" onClick={() => setFilters(NO_FILTERS)}>
              {viewWords.clearFilters}
            </button>
          )}
        </Empty>
      )}
      {isEmpty && !hasFilters && firstSteps}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and without a card nothing else in it can have the focus */}
      <section ref={scroller} class="board" aria-label={words.board} tabIndex={0} onKeyDown={onKeyDown}>
        {board.columns.map((column) => (
          <ColumnView key={column.id} column={column} cards={cards} focused={focused} onFocus={onFocus} />
        ))}
      </section>
      {selected.value.size > 0 && (
        <SelectionBar projectId={board.projectId} boards={[board]} find={(id) => cards.find(id)} />
      )}
      {sendingBack.value && (
        <Reason
          taskId={sendingBack.value.taskId}
          onSend={(reason) => {
            const { send } = sendingBack.value ?? {};
            sendingBack.value = undefined;
            send?.(reason);
          }}
          onClose={() => {
            sendingBack.value = undefined;
          }}
        />
      )}
      <p class="unseen" role="status">
        {said.value}
      </p>
    </>
  );
}

/** Selects the card that has the focus, or no longer. */
const SELECT_KEY = 'x';
const STEPS: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type Found = NonNullable<ReturnType<BoardCards['find']>>;

/** The card that an arrow leads to: the next in the column, or the one next to it in the nearest column that has any. */
function neighbour(
  cards: BoardCards,
  { column, at }: Found,
  [across, down]: readonly [number, number],
): string | undefined {
  if (down !== 0) return cards.cardsIn(column.id)[at + down]?.id;
  const { columns } = cards.board;
  let next = columns.indexOf(column) + across;
  for (; next >= 0 && next < columns.length; next += across) {
    const beside = cards.cardsIn(columns[next]?.id ?? '');
    if (beside.length > 0) return beside[Math.min(at, beside.length - 1)]?.id;
  }
  return undefined;
}

/** Moves the card in the arrow's direction. Sideways, to the top of the next column: it is visible there. */
function moved(
  cards: BoardCards,
  { card, column, at }: Found,
  [across, down]: readonly [number, number],
): string | undefined {
  if (!may('work-items:write')) return undefined;
  if (across !== 0) {
    const target = cards.board.columns[cards.board.columns.indexOf(column) + across];
    if (!target) return undefined;
    cards.move(card.id, target, 'first');
    return card.id;
  }
  const others = cards.cardsIn(column.id).filter(({ id }) => id !== card.id);
  if (at + down < 0 || at + down > others.length) return undefined;
  const before = others[at + down - 1];
  cards.move(card.id, column, before ? { after: before.id } : 'first');
  return card.id;
}

/** Whether all columns are read and none has a card. */
function useIsEmpty(cards: BoardCards): boolean {
  const ask = useCallback(
    () => cards.board.columns.every(({ id }) => queries.getQueryData(cards.keyOf(id))) && cards.total() === 0,
    [cards],
  );
  const [isEmpty, setEmpty] = useState(ask);
  useEffect(() => {
    setEmpty(ask());
    return queries.getQueryCache().subscribe(() => setEmpty(ask()));
  }, [ask]);
  return isEmpty;
}
