import './board.css';
import type { Board } from '@worktrack/contracts/projects/board';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShown } from '../change/shown.ts';
import { usePlace } from '../create/open.ts';
import { useBeats, useEvents } from '../live/live.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/page/heading.tsx';
import { later } from '../parts/page/later.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Empty } from '../parts/page/states.tsx';
import { STEPS } from '../parts/page/steps.ts';
import { attend, attended, filter, setFilters } from '../router.ts';
import { may } from '../session.ts';
import { isSample } from '../start/sample/mark.ts';
import { ItemsBar, SEARCH_ID } from '../views/bar.tsx';
import { cardFilters, FIELDS, NO_FILTERS } from '../views/filters/filters.ts';
import { words as viewWords } from '../views/messages.ts';
import { selected, selectNothing, toggle } from '../views/selection/selection.ts';
import { Gone, WorkOf } from '../views/work.tsx';
import { BoardCards, LANES_BY, type LaneBy, said, sendingBack } from './board-cards.ts';
import { moved, movedToLane, neighbour, SELECT_KEY } from './by-hand.ts';
import { ColumnView } from './column.tsx';
import { whenDraggable } from './drag.ts';
import { words } from './messages.ts';
import { catchUp } from './open.ts';
import { useCards } from './use-cards.ts';

// Rarely seen, and not while a board is first drawn.
const FirstSteps = later(async () => (await import('../start/first-steps.tsx')).FirstSteps);
const Reason = later(async () => (await import('../parts/item/reason.tsx')).Reason, { isDialog: true });
const SelectionBar = later(async () => (await import('../views/selection/bar.tsx')).SelectionBar);
const LaneChoice = later(async () => (await import('./lanes/choice.tsx')).LaneChoice, { isQuiet: true });
const Lanes = later(async () => (await import('./lanes/lanes.tsx')).Lanes);
const SampleBar = later(async () => (await import('../start/sample/bar.tsx')).SampleBar);

export function Screen() {
  return (
    <div class="board-screen">
      <Heading title={words.board} unseen />
      <WorkOf>
        {({ projects, project, boards }) => {
          const named = filter('board');
          const wanted = named ?? project.defaultBoardId;
          const board = boards.find(({ id }) => id === wanted) ?? (named ? undefined : boards[0]);
          return board ? (
            <>
              {isSample(project) && <SampleBar project={project} />}
              <ItemsBar projectId={project.id} boards={boards} board={board} fields={BOARD_FIELDS}>
                <LaneChoice by={lanesBy()} />
              </ItemsBar>
              <Columns
                key={board.id}
                board={board}
                firstSteps={isSample(project) ? null : <FirstSteps projects={projects} board={board} />}
              />
            </>
          ) : (
            <Gone what="board" others={boards} />
          );
        }}
      </WorkOf>
    </div>
  );
}

/** All columns are shown. */
const BOARD_FIELDS = FIELDS.filter((field) => field !== 'boardColumnId');

function lanesBy(): LaneBy | undefined {
  const wanted = filter('groupBy');
  return LANES_BY.find((by) => by === wanted);
}

/**
 * An array, rather than children of the surrounding element: Preact keeps how children were first drawn, and from there reaches every later state of their
 * cards. That took some 20 kB for each change of a card.
 */
function ColumnViews(props: Omit<Parameters<typeof ColumnView>[0], 'column'>) {
  return props.cards.board.columns.map((column) => <ColumnView key={column.id} column={column} {...props} />);
}

interface ColumnsProps {
  readonly board: Board;
  /** Shown while there are no cards. */
  readonly firstSteps: ComponentChildren;
}

function Columns({ board, firstSteps }: ColumnsProps) {
  const filters = cardFilters();
  const by = lanesBy();
  const key = JSON.stringify([board, filters, by]);
  const cards = useMemo(() => new BoardCards(board, filters, by), [key]);
  usePlace({ projectId: board.projectId, boardId: board.id });
  const [focused, setFocused] = useState(attended);
  useLayoutEffect(() => attend(focused), [focused]);
  const onFocus = useCallback((id: string) => setFocused(id), []);
  useEvents(useCallback((event) => cards.hear(event), [cards]));
  useBeats(useCallback((beat) => cards.hearBeat(beat), [cards]));
  useShown(cards);
  useEffect(() => catchUp(), []);
  // Its columns may change meanwhile.
  useEffect(() => selectNothing, [JSON.stringify(filters), by]);
  useEffect(
    () => () => {
      sendingBack.value = undefined;
    },
    [],
  );
  const isEmpty = useCards(useCallback(() => cards.total() === 0, [cards]));

  const moving = [
    { keys: 'Alt+← →', label: words.keysMoveAcross },
    { keys: 'Alt+↑ ↓', label: words.keysMoveWithin },
    ...(by ? [{ keys: 'Alt+Shift+↑ ↓', label: words.keysMoveToLane }] : []),
    { keys: SELECT_KEY, label: words.keysSelect },
  ];
  useShortcuts([
    { keys: '/', label: words.keysSearch, run: () => document.getElementById(SEARCH_ID)?.focus() },
    { keys: '↑ ↓ ← →', label: words.keysFocus },
    ...(may('work-items:write') ? moving : []),
  ]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const found = focused ? cards.find(focused) : undefined;
    const isOnCard = event.target instanceof Element && event.target.closest('[data-card]');
    if (event.key === SELECT_KEY && found && isOnCard && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      if (may('work-items:write')) toggle(found.card.id);
      return;
    }
    // In a lane that is closed.
    if (by && found && found.lane === undefined) return;
    const isToLane = by && event.altKey && event.shiftKey && step?.[1];
    if (!step || !found || event.ctrlKey || event.metaKey || (event.shiftKey && !isToLane)) return;
    event.preventDefault();
    const next = isToLane
      ? movedToLane(cards, found, isToLane)
      : event.altKey
        ? moved(cards, found, step)
        : neighbour(cards, found, step);
    if (next) setFocused(next);
  };

  const scroller = useRef<HTMLElement>(null);
  const getScroller = useCallback(() => scroller.current, []);
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
          {hasFilters && <Button text={viewWords.clearFilters} onClick={() => setFilters(NO_FILTERS)} />}
        </Empty>
      )}
      {isEmpty && !hasFilters && firstSteps}
      <section
        ref={scroller}
        class={by ? 'board board-lanes' : 'board'}
        aria-label={words.board}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and without a card nothing else in it can have the focus
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {by ? (
          <Lanes cards={cards} by={by} scroller={getScroller} focused={focused} onFocus={onFocus} />
        ) : (
          <ColumnViews cards={cards} focused={focused} onFocus={onFocus} />
        )}
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
