import type { Column } from '@worktrack/contracts/projects/board';
import { openCreate } from '../create/open.ts';
import { IconButton } from '../parts/button.tsx';
import { createIcon } from '../parts/icons.ts';
import { StateIcon } from '../parts/item/item-icons.tsx';
import { may } from '../session.ts';
import type { BoardCards } from './board-cards.ts';
import { CardList, useColumn } from './card-list.tsx';
import { useStill } from './drag-state.ts';
import { words } from './messages.ts';

interface ColumnProps {
  readonly column: Column;
  readonly cards: BoardCards;
  readonly focused: string | undefined;
  readonly onFocus: (id: string) => void;
}

export function ColumnView({ column, cards, focused, onFocus }: ColumnProps) {
  const pages = useColumn(cards, column);
  const { many, isEmpty } = countedOf(column, pages);
  return (
    <section
      class={useStill(isEmpty) ? 'column column-empty' : 'column'}
      aria-label={`${column.name}, ${many}`}
      data-column={column.id}
    >
      <ColumnHead column={column} cards={cards} pages={pages} />
      <CardList column={column} cards={cards} pages={pages} focused={focused} onFocus={onFocus} />
    </section>
  );
}

interface ColumnHeadProps {
  readonly column: Column;
  readonly cards: BoardCards;
  readonly pages: ReturnType<typeof useColumn>;
  /** Said with the name, where no list below it says so. */
  readonly saysCount?: boolean;
}

/** Its name, how many cards it has and may have, and a way to create one. */
export function ColumnHead({ column, cards, pages, saysCount }: ColumnHeadProps) {
  const { total, many, isAtLeast } = countedOf(column, pages);
  const { limit } = column;
  const isOverLimit = limit !== null && total !== undefined && total > limit;
  return (
    <div class="column-head">
      <h2>
        <StateIcon role={column.role} />
        {column.name}
        {total !== undefined && (
          <span class={isOverLimit ? 'column-count column-full' : 'column-count'} title={many} aria-hidden="true">
            {total}
            {isAtLeast && '+'}
            {limit !== null && ` / ${limit}`}
          </span>
        )}
        {saysCount && <span class="unseen">{`${words.comma}${many}`}</span>}
      </h2>
      {may('work-items:write') && (
        <IconButton
          of={createIcon}
          name={words.createIn({ column: column.name })}
          class="column-create"
          onClick={() => openCreate({ projectId: cards.board.projectId, boardId: cards.board.id, columnId: column.id })}
        />
      )}
    </div>
  );
}

/** @returns `many`: with its limit, if any */
export function countedOf({ limit }: Column, { data }: ReturnType<typeof useColumn>) {
  const { total, totalIsLowerBound: isAtLeast = false } = data?.pages[0]?.pagination ?? {};
  const n = total ?? 0;
  const count = isAtLeast ? words.atLeast({ n }) : words.count({ n });
  const many = limit === null ? count : `${count}${words.comma}${words.limit({ n: limit })}`;
  return { total, count, many, isAtLeast, isEmpty: total === 0 };
}
