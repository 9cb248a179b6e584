import type { Board } from '@worktrack/contracts/projects/board';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType, LeaseState } from '@worktrack/contracts/work-items/work-item';
import { PRIORITIES, TYPES } from '../parts/item-values.ts';
import { itemWords } from '../parts/item-words.ts';
import { SearchField } from '../parts/search-field.tsx';
import { Select } from '../parts/select.tsx';
import { filter, setFilters } from '../router.ts';
import { words } from './messages.ts';

const WORK = ['working', 'awaiting_input', 'stalled'] as const satisfies readonly (LeaseState | 'stalled')[];

/** What is shown of a board; all of it is in the address. */
export function FilterChoices({ boards, board }: { readonly boards: readonly Board[]; readonly board: Board }) {
  return (
    <search class="row" aria-label={words.filters}>
      {boards.length > 1 && (
        <Select
          inline
          aria-label={words.boardChoice}
          value={board.id}
          options={boards.map(({ id, name }) => [id, name])}
          onChoose={(chosen) => setFilters({ board: chosen }, 'push')}
        />
      )}
      <SearchField id="board-search" label={words.search} />
      <Choice name="type" label={words.type} values={TYPES} />
      <Choice name="priority" label={words.priority} values={PRIORITIES} />
      <Choice name="work" label={words.work} values={WORK} />
    </search>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (ItemType | Priority | LeaseState | 'stalled')[];
}

function Choice({ name, label, values }: ChoiceProps) {
  return (
    <Select
      inline
      aria-label={label}
      value={filter(name)}
      options={values.map((value) => [value, itemWords[value]])}
      none={words.any({ what: label })}
      onChoose={(chosen) => setFilters({ [name]: chosen || undefined }, 'push')}
    />
  );
}
