import type { Board } from '@worktrack/contracts/projects/board';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { downIcon, nextIcon } from '../parts/icons.ts';
import { later } from '../parts/page/later.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Failed } from '../parts/page/states.tsx';
import { useFirstDrawn, useVirtual } from '../parts/page/virtual.ts';
import { attend, attended, filter, setFilters } from '../router.ts';
import { may } from '../session.ts';
import { SEARCH_ID } from '../views/bar.tsx';
import { groupName } from '../views/groups/group-name.ts';
import { words as viewWords } from '../views/messages.ts';
import { selectByDrag } from '../views/selection/band.ts';
import { extendTo, selected, selectNothing, toggle } from '../views/selection/selection.ts';
import { isEdited } from './cell-editor.tsx';
import { type CellName, type Column, directionOf, nameOf, SORT_KEYS, sortAfter, widthOf } from './columns.ts';
import { type ListCards, PAGE_SIZE } from './list-cards.ts';
import { words } from './messages.ts';
import { Row, type RowActions } from './row.tsx';
import type { Section } from './section.ts';

const SelectionBar = later(async () => (await import('../views/selection/bar.tsx')).SelectionBar);

const ROW_PX = 36;
/** How many rows before the end of what was read the next ones are requested. */
const READ_AHEAD = 30;
const ROWS_OF_PAGE = 15;

interface TableProps {
  readonly list: ListCards;
  readonly boards: readonly Board[];
  readonly columns: readonly Column[];
}

/** Where the focus is. An item may be in several groups. */
interface Place {
  readonly key: string;
  readonly id: string;
  readonly cell: CellName;
}

/** A line of the table: the heading of a group, a card, or what was not read yet. */
type Line =
  | { readonly kind: 'group' | 'waiting' | 'failed'; readonly key: string; readonly section: Section }
  | { readonly kind: 'card'; readonly key: string; readonly section: Section; readonly card: Section['cards'][number] };

export function Table({ list, boards, columns }: TableProps) {
  const version = list.version.value;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => linesOf(list, closed), [list, version, closed]);
  const keyOf = useMemo(() => (at: number) => lines[at]?.key ?? String(at), [lines]);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtual({
    scroller: () => scroller.current,
    count: lines.length,
    estimatePx: ROW_PX,
    gapPx: 0,
    keyOf,
    headPx: ROW_PX,
  });
  const boardOf = useMemo(() => new Map(boards.map((board) => [board.id, board])), [boards]);
  const [focused, setFocused] = useState<Place | undefined>(
    attended === undefined ? undefined : { key: attended, id: attended, cell: 'title' },
  );
  useLayoutEffect(() => attend(focused?.id), [focused?.id]);
  const [editing, setEditing] = useState<CellName>();
  const now = useRef(lines);
  now.current = lines;
  const actions = useMemo<RowActions>(
    () => ({
      focus: (place) => setFocused((at) => (at?.key === place.key && at.cell === place.cell ? at : place)),
      edit: setEditing,
      select: (id, isRange) => (isRange ? extendTo(id, cardsOf(now.current)) : toggle(id)),
    }),
    [],
  );
  // Another list begins at its beginning.
  const of = useRef(list.of);
  useEffect(() => {
    if (of.current !== list.of) {
      of.current = list.of;
      scroller.current?.scrollTo({ top: 0 });
      setClosed(new Set());
      setFocused(undefined);
      setEditing(undefined);
    }
    return selectNothing;
  }, [list.of]);

  useEffect(() => {
    const { current } = scroller;
    if (!current) return;
    return selectByDrag(current, { items: '[data-item]', idOf: ({ dataset }) => dataset.item, beginsAtItems: true });
  }, []);

  const [from, to] = [rows.entries[0]?.index ?? 0, (rows.entries.at(-1)?.index ?? 0) + READ_AHEAD];
  useEffect(() => {
    for (const { kind, section } of lines.slice(from, to)) if (kind === 'waiting') void list.readOn(section.key);
  }, [lines, from, to, list]);

  const focusedAt = focused ? placeIn(lines, focused) : -1;
  useEffect(() => {
    if (focusedAt >= 0) rows.scrollTo(focusedAt);
    // When it gets somewhere, not whenever the list is drawn.
  }, [focusedAt, focused?.id]);

  // It was of a row that has gone, and not of the next one that has the focus.
  const isGone = focusedAt < 0;
  useLayoutEffect(() => {
    if (isGone) setEditing(undefined);
  }, [isGone]);

  const cells: readonly CellName[] = ['title', ...columns];
  const onKeyDown = (event: KeyboardEvent) => {
    const isInTable = event.target instanceof Element && event.target.closest('[data-cell]');
    if (!focused || focusedAt < 0 || !isInTable || event.ctrlKey || event.metaKey || event.altKey) return;
    const go = (at: number, step: 1 | -1) => {
      const next =
        cardAt(lines, Math.max(0, Math.min(lines.length - 1, at)), step) ?? cardAt(lines, at, step === 1 ? -1 : 1);
      if (next) setFocused({ key: next.key, id: next.card.id, cell: focused.cell });
    };
    const across = (step: number) => {
      const cell = cells[cells.indexOf(focused.cell) + step];
      if (cell) setFocused({ ...focused, cell });
    };
    const edit = (cell: CellName) => may('work-items:write') && isEdited(cell) && setEditing(cell);
    const acts: Readonly<Record<string, () => unknown>> = {
      ArrowDown: () => go(focusedAt + 1, 1),
      ArrowUp: () => go(focusedAt - 1, -1),
      PageDown: () => go(focusedAt + ROWS_OF_PAGE, 1),
      PageUp: () => go(focusedAt - ROWS_OF_PAGE, -1),
      Home: () => go(0, 1),
      End: () => go(lines.length - 1, -1),
      ArrowRight: () => across(1),
      ArrowLeft: () => across(-1),
      F2: () => {
        setFocused({ ...focused, cell: 'title' });
        edit('title');
      },
      ...(focused.cell !== 'title' && { Enter: () => edit(focused.cell) }),
      [SELECT_KEY]: () => may('work-items:write') && toggle(focused.id),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  const mayWrite = may('work-items:write');
  useShortcuts([
    { keys: '/', label: viewWords.search, run: () => document.getElementById(SEARCH_ID)?.focus() },
    { keys: '↑ ↓ ← →', label: words.keysFocus },
    { keys: 'Enter', label: words.keysOpen },
    ...(mayWrite ? [{ keys: SELECT_KEY, label: words.keysSelect }] : []),
  ]);

  const drawnCards = rows.entries.flatMap(({ index }) => {
    const line = lines[index];
    return line?.kind === 'card' ? [line] : [];
  });
  const firstKey = useFirstDrawn(drawnCards.map(({ key }) => key));
  const first = drawnCards.find(({ key }) => key === firstKey);
  const isDrawn = rows.entries.some(({ index }) => index === focusedAt);
  const tabStop: Place | undefined = isDrawn
    ? focused
    : first
      ? { key: first.key, id: first.card.id, cell: 'title' }
      : undefined;
  const widths = [...(mayWrite ? ['2.25rem'] : []), 'minmax(18rem, 4fr)', ...columns.map(widthOf)];
  const drawn = rows.entries.flatMap(({ index, start, key }) => {
    const line = lines[index];
    if (!line) return [];
    const isFocused = index === focusedAt;
    const isTabStop = isDrawn ? isFocused : line.key === tabStop?.key;
    return (
      <div
        key={key}
        ref={rows.measure}
        role="presentation"
        data-index={index}
        class="list-line"
        style={{ top: `${start}px` }}
      >
        {line.kind === 'card' ? (
          <Row
            card={line.card}
            board={boardOf.get(line.card.boardId)}
            columns={columns}
            index={index + 2}
            lineKey={line.key}
            tabStop={isTabStop ? tabStop?.cell : undefined}
            focused={isFocused ? focused?.cell : undefined}
            editing={isFocused ? editing : undefined}
            actions={actions}
          />
        ) : (
          <OtherLine
            line={line}
            index={index + 2}
            span={widths.length}
            list={list}
            isClosed={closed.has(line.section.key ?? '')}
            onToggle={(key) => {
              const all = new Set(closed);
              if (!all.delete(key)) all.add(key);
              setClosed(all);
            }}
          />
        )}
      </div>
    );
  });
  // Another with each change: what is selected may have gone.
  const find = useMemo(() => (id: string) => list.find(id), [lines]);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be laid out so */}
      <div
        ref={scroller}
        class="list"
        role="grid"
        aria-label={words.list}
        aria-rowcount={lines.length + 1}
        aria-multiselectable={mayWrite}
        style={{ '--list-columns': widths.join(' ') }}
        onKeyDown={onKeyDown}
      >
        <Head cells={cells} hasBoxes={mayWrite} />
        <div role="presentation" class="list-lines" style={{ height: `${rows.heightPx}px` }}>
          {drawn}
        </div>
      </div>
      {selected.value.size > 0 && <SelectionBar projectId={list.of.projectId} boards={boards} find={find} />}
    </>
  );
}

/** Selects the item that has the focus, or no longer. */
const SELECT_KEY = 'x';

function Head({ cells, hasBoxes }: { readonly cells: readonly CellName[]; readonly hasBoxes: boolean }) {
  const sort = filter('sort');
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <div role="row" class="list-head" aria-rowindex={1}>
      {hasBoxes && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div role="columnheader">
          <span class="unseen">{words.selection}</span>
        </div>
      )}
      {cells.map((cell) => {
        const key = SORT_KEYS.find((each) => each === cell);
        const direction = directionOf(sort, cell);
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div key={cell} role="columnheader" aria-sort={key && (direction ?? 'none')}>
            {key ? (
              <button
                type="button"
                class="list-sort"
                title={words.sortByOf({ column: nameOf(cell) })}
                onClick={(event) => setFilters({ sort: sortAfter(sort, key, event.shiftKey) }, 'push')}
              >
                {nameOf(cell)}
                {direction && <span aria-hidden="true">{direction === 'ascending' ? '↑' : '↓'}</span>}
              </button>
            ) : (
              nameOf(cell)
            )}
          </div>
        );
      })}
    </div>
  );
}

interface OtherLineProps {
  readonly line: Exclude<Line, { kind: 'card' }>;
  readonly index: number;
  readonly span: number;
  readonly list: ListCards;
  readonly isClosed: boolean;
  readonly onToggle: (key: string) => void;
}

function OtherLine({ line: { kind, section }, index, span, list, isClosed, onToggle }: OtherLineProps) {
  const { key = '', count, isAtLeast, error } = section;
  const by = list.of.groupBy;
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <div role="row" class={`list-${kind}`} aria-rowindex={index}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div role="gridcell" aria-colspan={span}>
        {kind === 'group' && (
          <button type="button" aria-expanded={!isClosed} onClick={() => onToggle(key)}>
            <Icon of={isClosed ? nextIcon : downIcon} />
            <strong>{by && groupName(by, { ...section, key })}</strong>
            <span class="quiet">{isAtLeast ? words.atLeast({ n: count }) : words.count({ n: count })}</span>
          </button>
        )}
        {kind === 'failed' && <Failed error={error} retry={() => void list.retry(section.key)} />}
      </div>
    </div>
  );
}

function linesOf({ sections }: ListCards, closed: ReadonlySet<string>): readonly Line[] {
  return sections.flatMap((section): readonly Line[] => {
    const { key = '', cards, cursor, count, isAtLeast, error } = section;
    const head: readonly Line[] = section.key === undefined ? [] : [{ kind: 'group', key: `group ${key}`, section }];
    if (closed.has(key)) return head;
    const shown = cards.map((card): Line => ({ kind: 'card', key: `${key} ${card.id}`, section, card }));
    if (error !== undefined) return [...head, ...shown, { kind: 'failed', key: `failed ${key}`, section }];
    const left = isAtLeast ? PAGE_SIZE : Math.max(1, Math.min(PAGE_SIZE, count - cards.length));
    const waiting = Array.from({ length: cursor === null ? 0 : left }, (_, at): Line => {
      return { kind: 'waiting', key: `waiting ${key} ${at}`, section };
    });
    return [...head, ...shown, ...waiting];
  });
}

function cardsOf(lines: readonly Line[]) {
  return lines.flatMap((line) => (line.kind === 'card' ? [line.card] : []));
}

/** Where an item is now: in its group, else in the one that it has gone to. */
function placeIn(lines: readonly Line[], { key, id }: Place): number {
  const at = lines.findIndex((line) => line.key === key);
  return at >= 0 ? at : lines.findIndex((line) => line.kind === 'card' && line.card.id === id);
}

/** The first from there in this direction. */
function cardAt(lines: readonly Line[], from: number, step: 1 | -1) {
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    const line = lines[at];
    if (line?.kind === 'card') return line;
  }
  return undefined;
}
