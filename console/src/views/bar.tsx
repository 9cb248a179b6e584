import './views.css';
import type { Board } from '@worktrack/contracts/projects/board';
import type { ComponentChildren } from 'preact';
import { SearchField } from '../parts/form/search-field.tsx';
import { Icon } from '../parts/icon.tsx';
import { boardIcon, bulletsIcon } from '../parts/icons.ts';
import { later } from '../parts/page/later.tsx';
import { address, path, setFilters, to } from '../router.ts';
import type { Field } from './filters/filters.ts';
import { words } from './messages.ts';

// Not needed to draw the first board.
const BoardChoice = later(async () => (await import('../parts/form/select.tsx')).Select, { isQuiet: true });
const Chips = later(async () => (await import('./filters/chips.tsx')).Chips, { isQuiet: true });
const ViewMenu = later(async () => (await import('./saved/view-menu.tsx')).ViewMenu, { isQuiet: true });

export const SEARCH_ID = 'items-search';

interface ItemsBarProps {
  readonly projectId: string;
  readonly boards: readonly Board[];
  /** The board that is shown; undefined: all of them. */
  readonly board: Board | undefined;
  readonly fields: readonly Field[];
  /** Whether all boards can be shown at once. */
  readonly offersAll?: boolean;
  /** What else a saved view keeps. */
  readonly also?: Readonly<Record<string, string>>;
  readonly children?: ComponentChildren;
}

/** What is shown of a project's work, and how; all of it is in the address. */
export function ItemsBar({ projectId, boards, board, fields, offersAll, also, children }: ItemsBarProps) {
  return (
    <div class="row items-bar">
      <Layouts />
      <search class="row" aria-label={words.filters}>
        {boards.length > 1 && (
          <BoardChoice
            inline
            aria-label={words.boardChoice}
            value={board?.id}
            options={boards.map(({ id, name }) => [id, name])}
            {...(offersAll && { none: words.allBoards })}
            onChoose={(chosen) => setFilters({ board: chosen || undefined }, 'push')}
          />
        )}
        <SearchField id={SEARCH_ID} label={words.search} />
        <Chips fields={fields} projectId={projectId} boards={board ? [board] : boards} />
      </search>
      <span class="row items-bar-end">
        {children}
        <ViewMenu projectId={projectId} also={also} />
      </span>
    </div>
  );
}

const LAYOUTS = [
  ['board', boardIcon],
  ['list', bulletsIcon],
] as const;

/** The same work as a board and as a list. */
function Layouts() {
  const filters = Object.fromEntries(address.value.query);
  return (
    <nav class="row items-layouts" aria-label={words.layout}>
      {LAYOUTS.map(([name, icon]) => (
        <a
          key={name}
          class="button button-quiet button-icon"
          href={to(name, filters)}
          title={words[name]}
          aria-current={path.value === name ? 'page' : undefined}
        >
          <Icon of={icon} name={words[name]} />
        </a>
      ))}
    </nav>
  );
}
