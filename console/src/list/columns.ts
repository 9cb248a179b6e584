import type { Grouping } from '@worktrack/contracts/work-items/lists/cards';
import type { SortKey } from '@worktrack/contracts/work-items/lists/list-filters';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import { keep, kept } from '../kept.ts';
import { CHOSEN, fieldWords, WRITTEN } from '../parts/item/plain-fields.ts';
import { words as common } from '../parts/messages.ts';
import { filter, setFilters } from '../router.ts';
import { nameOfField, words as viewWords } from '../views/filters/messages.ts';
import { words } from './messages.ts';

/** What a list shows beside the titles until somebody chooses, and what is changed in its cells. */
export const STANDARD = ['column', ...CHOSEN, 'assignee', 'labels', ...WRITTEN] as const;
/** What a list shows beside the titles, in this order. */
export const COLUMNS = [...STANDARD, ...['epic', 'agent', 'cost', 'createdAt', 'updatedAt']] as readonly Column[];
export type Column =
  | 'column'
  | 'assignee'
  | 'labels'
  | PlainField
  | 'epic'
  | 'agent'
  | 'cost'
  | 'createdAt'
  | 'updatedAt';
/** With the title, which is always there. */
export type CellName = 'title' | Column;

const KEPT_AS = 'list.columns';

const WIDTHS: Partial<Readonly<Record<Column, string>>> = {
  column: '8rem',
  assignee: '8rem',
  labels: 'minmax(10rem, 1fr)',
  dueDate: '8rem',
  epic: '12rem',
  agent: '10rem',
  createdAt: '7.5rem',
  updatedAt: '7.5rem',
};
export const widthOf = (column: Column) => WIDTHS[column] ?? '6.25rem';

export const SORT_KEYS: readonly (CellName & SortKey)[] = [
  ...(['title', ...CHOSEN, 'assignee', ...WRITTEN, 'createdAt', 'updatedAt'] as const),
];

export const GROUPINGS: readonly Grouping[] = ['column', 'epic', 'assignee', 'priority', 'label', 'agentState', 'type'];

export function groupingName(by: Grouping): string {
  if (by === 'column') return viewWords.boardColumnId;
  return by === 'agentState' ? viewWords.leaseState : nameOfField(by);
}

export function nameOf(column: CellName): string {
  switch (column) {
    case 'column':
      return viewWords.boardColumnId;
    case 'assignee':
    case 'epic':
      return viewWords[column];
    case 'labels':
      return common[column];
    default:
      return column in fieldWords ? fieldWords[column as PlainField] : words[column as keyof typeof words & Column];
  }
}

/** Those in the address, as in that of a saved view, else those chosen in this browser before. */
export function chosenColumns(): readonly Column[] {
  const chosen = (filter('columns') ?? kept(KEPT_AS))?.split(',');
  return chosen ? COLUMNS.filter((column) => chosen.includes(column)) : STANDARD;
}

export function chooseColumns(columns: readonly Column[]): void {
  const text = columns.join(',') || 'none';
  // Those of a saved view are its own.
  if (!filter('view')) keep(KEPT_AS, text);
  setFilters({ columns: text });
}

/** A press on a heading: in its order, then reversed, then no more. @param isAdded among equals of what it is sorted by already */
export function sortAfter(sort: string | undefined, key: SortKey, isAdded: boolean): string | undefined {
  const keys = sort?.split(',') ?? [];
  const at = keys.findIndex((each) => each.replace('-', '') === key);
  const next = at < 0 ? key : keys[at] === key ? `-${key}` : undefined;
  const others = isAdded ? keys.filter((_, each) => each !== at) : [];
  return [...others, ...(next ? [next] : [])].join(',') || undefined;
}

/** Which way a list is sorted by a column, for `aria-sort`. */
export function directionOf(sort: string | undefined, column: CellName): 'ascending' | 'descending' | undefined {
  const key = sort?.split(',').find((each) => each.replace('-', '') === column);
  if (key === undefined) return undefined;
  return key.startsWith('-') ? 'descending' : 'ascending';
}
