import type { Board } from '@worktrack/contracts/projects/board';
import type { ItemType, LeaseState, Priority } from '@worktrack/contracts/work-items/work-item';
import { useEffect, useState } from 'preact/hooks';
import { itemWords } from '../parts/item-words.ts';
import { filter, setFilters } from '../router.ts';
import { words } from './messages.ts';

const TYPES = ['epic', 'feature', 'story', 'task', 'idea'] as const satisfies readonly ItemType[];
const PRIORITIES = ['urgent', 'high', 'medium', 'low'] as const satisfies readonly Priority[];
const WORK = ['working', 'awaiting_input', 'stalled'] as const satisfies readonly (LeaseState | 'stalled')[];
/** After the last letter of a search. */
const TYPING_MS = 250;

/** What of a board is shown; all of it is in the address. */
export function FilterChoices({ boards, board }: { readonly boards: readonly Board[]; readonly board: Board }) {
  return (
    <search class="row" aria-label={words.filters}>
      {boards.length > 1 && (
        <select
          class="input input-inline"
          aria-label={words.boardChoice}
          value={board.id}
          onChange={({ currentTarget }) => setFilters({ board: currentTarget.value }, 'push')}
        >
          {boards.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <SearchField />
      <Choice name="type" label={words.type} values={TYPES} />
      <Choice name="priority" label={words.priority} values={PRIORITIES} />
      <Choice name="work" label={words.work} values={WORK} />
    </search>
  );
}

function SearchField() {
  const inAddress = filter('q') ?? '';
  const [text, setText] = useState(inAddress);
  useEffect(() => setText(inAddress), [inAddress]);
  useEffect(() => {
    if (text === inAddress) return;
    const timer = setTimeout(() => setFilters({ q: text.trim() || undefined }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, inAddress]);
  return (
    <input
      id="board-search"
      class="input input-inline"
      type="search"
      aria-label={words.search}
      placeholder={words.search}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly (ItemType | Priority | LeaseState | 'stalled')[];
}

function Choice({ name, label, values }: ChoiceProps) {
  return (
    <select
      class="input input-inline"
      aria-label={label}
      value={filter(name) ?? ''}
      onChange={({ currentTarget }) => setFilters({ [name]: currentTarget.value || undefined }, 'push')}
    >
      <option value="">{words.any({ what: label })}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {itemWords[value]}
        </option>
      ))}
    </select>
  );
}
