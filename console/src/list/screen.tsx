import './list.css';
import type { Board } from '@worktrack/contracts/projects/board';
import { useCallback, useMemo } from 'preact/hooks';
import { queries, useQuery } from '../api/query.ts';
import { useShown } from '../change/shown.ts';
import { mayCreate, openCreate, usePlace } from '../create/open.ts';
import { useBeats, useEvents } from '../live/live.ts';
import { Button } from '../parts/button.tsx';
import { words as common } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { filter, setFilters } from '../router.ts';
import { ItemsBar } from '../views/bar.tsx';
import { FIELDS, itemFilters, NO_FILTERS } from '../views/filters/filters.ts';
import { words as viewWords } from '../views/messages.ts';
import { Gone, WorkOf } from '../views/work.tsx';
import { chosenColumns } from './columns.ts';
import { Display } from './display.tsx';
import { ListCards, type ListOf } from './list-cards.ts';
import { words } from './messages.ts';
import { Table } from './table.tsx';

/** Work items as a table: filtered, sorted, in groups, and changed in place. */
export function Screen() {
  return (
    <div class="list-screen">
      <Heading title={words.list} unseen />
      <WorkOf>
        {({ project, boards }) => {
          const wanted = filter('board');
          const board = boards.find(({ id }) => id === wanted);
          if (wanted && !board) return <Gone what="board" others={boards} />;
          return <List projectId={project.id} boards={boards} board={board} />;
        }}
      </WorkOf>
    </div>
  );
}

interface ListProps {
  readonly projectId: string;
  readonly boards: readonly Board[];
  /** Undefined: all of them. */
  readonly board: Board | undefined;
}

function List({ projectId, boards, board }: ListProps) {
  const asked = JSON.stringify({
    projectId,
    boardId: boards.length > 1 ? board?.id : undefined,
    filters: itemFilters(),
    sort: filter('sort'),
    groupBy: filter('groupBy'),
  });
  const of = useMemo<ListOf>(() => JSON.parse(asked), [asked]);
  usePlace({ projectId, ...(board && { boardId: board.id }) });
  const shown = useCallback(() => queries.getQueryData<ListCards>(ListCards.keyOf(of)), [of]);
  const query = useQuery({
    key: ListCards.keyOf(of),
    load: (signal) => ListCards.open(of, signal, shown()),
    follows: ({ subject, projectId: where }) => subject.kind === 'work_item' && where === projectId,
    requests: shown()?.requests,
    isPatched: !of.filters.search,
    keepsEarlier: true,
  });
  useEvents(useCallback((event) => ListCards.hear(event, shown()), [shown]));
  useBeats(useCallback((beat) => shown()?.hearBeat(beat), [shown]));
  useShown(useMemo(() => ({ change: (all) => shown()?.change(all), reread: (ids) => shown()?.reread(ids) }), [shown]));
  const chosen = chosenColumns().join();
  const columns = useMemo(() => chosenColumns(), [chosen]);
  const hasFilters = Object.values(of.filters).some(Boolean);
  return (
    <>
      <ItemsBar
        projectId={projectId}
        boards={boards}
        board={board}
        fields={FIELDS}
        offersAll
        also={{ columns: columns.join(',') || 'none' }}
      >
        <Display columns={columns} />
      </ItemsBar>
      <Loaded query={query}>
        {(list) =>
          list.version.value >= 0 && list.total === 0 ? (
            <Empty>
              <p>{hasFilters ? viewWords.noMatches : words.noItems}</p>
              {hasFilters ? (
                <Button text={viewWords.clearFilters} onClick={() => setFilters(NO_FILTERS)} />
              ) : (
                mayCreate() && <Button text={common.newItem} keys="c" onClick={() => openCreate()} />
              )}
            </Empty>
          ) : (
            <Table list={list} boards={boards} columns={columns} />
          )
        }
      </Loaded>
    </>
  );
}
