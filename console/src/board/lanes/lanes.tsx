import './lanes.css';
import type { Output } from '@worktrack/contracts/operation';
import type { Column } from '@worktrack/contracts/projects/board';
import type { listGroups } from '@worktrack/contracts/work-items/lists/cards';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { language } from '../../language/language.ts';
import { Icon } from '../../parts/icon.tsx';
import { downIcon, nextIcon } from '../../parts/icons.ts';
import { TypeIcon } from '../../parts/item/item-icons.tsx';
import { memo } from '../../parts/memo.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { useVirtual } from '../../parts/page/virtual.ts';
import { Avatar } from '../../parts/people/avatar.tsx';
import { NONE } from '../../views/filters/filters.ts';
import { groupName } from '../../views/groups/group-name.ts';
import { type BoardCards, type Lane, type LaneBy, lanesKey } from '../board-cards.ts';
import { CardList, useColumn } from '../card-list.tsx';
import { ColumnHead, countedOf } from '../column.tsx';
import { isDragging, useStill } from '../drag-state.ts';
import { words } from '../messages.ts';
import { useCards } from '../use-cards.ts';
import { closedLanes, toggleLane } from './closed.ts';
import { words as laneWords } from './messages.ts';
import { useTurn } from './turns.ts';

const LANE_PX = 180;
const HEAD_PX = 40;

interface LanesProps {
  readonly cards: BoardCards;
  readonly by: LaneBy;
  /** What scrolls. */
  readonly scroller: () => HTMLElement | null;
  readonly focused: string | undefined;
  readonly onFocus: (id: string) => void;
}

/** The cards of a board in a lane for each epic or assignee: the columns have one head, and each lane has their cells. */
export function Lanes(props: LanesProps) {
  const { cards, by } = props;
  const { board, filters } = cards;
  const { id: boardId, projectId } = board;
  const query = useQuery({
    key: [...lanesKey(boardId), by, filters],
    load: (signal) => {
      const input = { id: projectId, boardId, ...filters, groupBy: by };
      return call<typeof listGroups>('GET /api/projects/:id/cards/groups', input, { signal });
    },
    follows: ({ subject, projectId: where }) => subject.kind === 'work_item' && where === projectId,
    // BoardCards asks for it again.
    isPatched: true,
    keepsEarlier: true,
  });
  return (
    <Loaded query={query}>
      {({ groups, truncated }) => (
        <>
          <LaneList {...props} groups={groups} />
          {truncated && <p class="quiet lanes-end">{laneWords.onlySome({ n: groups.length })}</p>}
        </>
      )}
    </Loaded>
  );
}

interface LaneListProps extends LanesProps {
  readonly groups: Output<typeof listGroups>['groups'];
}

function LaneList({ cards, by, scroller, focused, onFocus, groups }: LaneListProps) {
  const lanes = useMemo(() => {
    const isNarrowed = Boolean(cards.filters[by] ?? cards.filters[`${by}Not`]);
    const hasLast = isNarrowed || groups.some(({ key }) => key === NONE);
    const all = hasLast ? groups : [...groups, { key: NONE, name: null, count: 0 }];
    return all.map((group): Lane => ({ ...group, name: groupName(by, group) }));
  }, [cards, by, groups, language.value]);
  const isClosed = (lane: Lane) => closedLanes.value.includes(keptName(cards, lane));
  const open = lanes.filter((lane) => !isClosed(lane));
  useLayoutEffect(() => {
    cards.lanes = open;
  });
  const list = useVirtual({
    scroller,
    count: lanes.length,
    estimatePx: LANE_PX,
    gapPx: 0,
    keyOf: (index) => lanes[index]?.key ?? String(index),
    headPx: HEAD_PX,
    overscan: 2,
  });
  const found = focused === undefined ? undefined : cards.find(focused);
  useEffect(() => {
    const card = document.querySelector(`[data-card="${focused}"]`);
    if (!isDragging.peek()) card?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // When it gets somewhere, not whenever it is drawn.
  }, [focused, found?.lane, found?.column.id]);
  const { columns } = cards.board;
  const empty = useStill(
    useCards(
      useCallback(
        () =>
          columns
            .filter(({ id }) => cards.totalIn(id) === 0)
            .map(({ id }) => id)
            .join(),
        [cards, columns],
      ),
    ),
  );
  const isEmpty = (columnId: string) => empty.includes(columnId);
  const narrow = columns.filter(({ id }) => isEmpty(id)).length;
  return (
    <div
      class="lanes"
      style={{
        '--lane-columns': columns
          .map(({ id }) => (isEmpty(id) ? 'var(--narrow)' : 'minmax(var(--wide), 20rem)'))
          .join(' '),
        '--wide-columns': String(columns.length - narrow),
        '--narrow-columns': String(narrow),
      }}
    >
      <div class="lane-cells lanes-head">
        {columns.map((column) => (
          <Head key={column.id} column={column} cards={cards} />
        ))}
      </div>
      <div class="lanes-all" style={{ height: `${list.heightPx}px` }}>
        {list.entries.map(({ index, start, key }) => {
          const lane = lanes[index];
          return (
            lane && (
              <div key={key} ref={list.measure} data-index={index} class="lane-entry" style={{ top: `${start}px` }}>
                <LaneView
                  cards={cards}
                  by={by}
                  lane={lane}
                  isClosed={isClosed(lane)}
                  focused={found?.lane === lane.key ? focused : undefined}
                  onFocus={onFocus}
                />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Head({ column, cards }: { readonly column: Column; readonly cards: BoardCards }) {
  return <ColumnHead column={column} cards={cards} pages={useColumn(cards, column)} saysCount />;
}

interface LaneViewProps extends Omit<LanesProps, 'scroller'> {
  readonly lane: Lane;
  readonly isClosed: boolean;
}

const keptName = ({ board, by }: BoardCards, { key }: Lane) => `${board.id} ${by} ${key}`;

const LaneView = memo(function LaneView({ cards, by, lane, isClosed, focused, onFocus }: LaneViewProps) {
  const { key, name } = lane;
  // Its own cards are counted at once, those of a closed one when the lanes are counted again.
  const own = useCards(useCallback(() => cards.total(key), [cards, key]));
  const n = (isClosed ? undefined : own) ?? lane.count;
  const count = words.count({ n });
  return (
    <section class="lane" aria-label={`${name}${words.comma}${count}`} data-lane={key}>
      <h3 class="lane-head">
        <button type="button" aria-expanded={!isClosed} onClick={() => toggleLane(keptName(cards, lane))}>
          <Icon of={isClosed ? nextIcon : downIcon} />
          {key !== NONE && (by === 'epic' ? <TypeIcon type="epic" isNamed={false} /> : <Avatar name={name} />)}
          <span class="lane-name">{name}</span>
          <span class="quiet">{count}</span>
        </button>
      </h3>
      {!isClosed && <Cells cards={cards} lane={lane} focused={focused} onFocus={onFocus} />}
    </section>
  );
});

type CellsProps = Pick<LaneViewProps, 'cards' | 'lane' | 'focused' | 'onFocus'>;

function Cells({ cards, lane, focused, onFocus }: CellsProps) {
  useMemo(() => cards.divide(lane.key), [cards, lane.key]);
  useLayoutEffect(() => cards.draw(lane.key), [cards, lane.key]);
  const { columns } = cards.board;
  return (
    <div class="lane-cells">
      {columns.map((column) => (
        <Cell key={column.id} column={column} cards={cards} lane={lane} focused={focused} onFocus={onFocus} />
      ))}
    </div>
  );
}

interface CellProps extends CellsProps {
  readonly column: Column;
}

const Cell = memo(function Cell({ column, lane, ...props }: CellProps) {
  const pages = useColumn(props.cards, column, lane);
  const { total, count } = countedOf(column, pages);
  const element = useRef<HTMLDivElement>(null);
  const isBegun = useTurn(() => element.current, pages.isError ? 0 : total);
  const name = `${column.name}${words.comma}${count}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div ref={element} role="group" class="lane-cell" aria-label={name} data-column={column.id}>
      {isBegun && <CardList column={column} lane={lane} pages={pages} {...props} />}
    </div>
  );
});
