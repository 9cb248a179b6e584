import { z } from 'zod';
import { described } from '../../described.ts';
import { ColumnRef, DayOrTime, ItemRef, isItemName, refuseReversed } from '../../fields.ts';
import { LabelRef } from '../../projects/label.ts';
import { several } from '../../several.ts';
import { Day, plainFields } from '../plain-fields.ts';
import { ItemType, LEASE_STATES } from '../work-item.ts';

/** As a value of a filter: items without any. */
export const NONE = 'none';

/** How an agent holds an item. */
const AGENT_STATES = [...LEASE_STATES, 'stalled', NONE] as const;
export type AgentState = (typeof AGENT_STATES)[number];

/** An epic, or none. */
const EpicRef = z
  .string()
  .refine((value) => value === NONE || isItemName(value), 'must be a UUID, a task ID such as W-E-2, or none')
  .transform((value) => (value === NONE ? value : ItemRef.parse(value)));

/** Somebody’s name, or none. */
const AssigneeRef = z
  .string()
  .max(200)
  .refine((name) => name.trim() !== '', `must not be empty; for what is nobody’s, pass ${NONE}`)
  .register(described, { pattern: '\\S' });

/** Several values of one filter are alternatives. */
const byValue = {
  type: several(ItemType).optional(),
  ...plainFields.filters,
  assignee: several(AssigneeRef, { keepsSpaced: true }).optional().describe('me: your id, name or address'),
  leaseState: several(z.enum(AGENT_STATES)).optional(),
  label: several(LabelRef, { keepsSpaced: true }).optional(),
  epic: several(EpicRef).optional().describe('With all that is below it'),
};
type ByValue = typeof byValue;
export const VALUE_FILTERS = Object.keys(byValue) as readonly (keyof ByValue)[];

/** The opposites: items that have none of the values. */
const byLackOfValue = Object.fromEntries(
  Object.entries(byValue).map(([name, values]) => [`${name}Not`, values.describe(`None of these; as ${name}`)]),
) as { [Name in keyof ByValue & string as `${Name}Not`]: ByValue[Name] };

/** Those whose values name people, by whatever they are called. */
export const NAMING_FILTERS = ['assignee', 'assigneeNot'] as const satisfies readonly (
  | keyof ByValue
  | keyof typeof byLackOfValue
)[];

/** What lists of items can be narrowed by, besides where the items are. */
export const itemFilters = {
  ...byValue,
  dueBefore: Day.optional(),
  dueAfter: Day.optional(),
  overdue: z.boolean().optional().describe('Due before today (UTC), and not done; false: all others'),
  ...byLackOfValue,
};

/** Of every list that takes them. */
export const refuseReversedDays = refuseReversed(['dueAfter', 'dueBefore']);

/** The same for columns: each list says itself where its items may be. */
export const columnFilters = {
  boardColumnId: several(ColumnRef, { keepsSpaced: true }).optional(),
  boardColumnIdNot: several(ColumnRef, { keepsSpaced: true }).optional().describe('None of these columns'),
};

/** Of tools: the catalogue has no room for them. */
export const UNLISTED_FILTERS = [
  ...['label', 'epic', 'dueBefore', 'dueAfter', 'overdue'],
  ...Object.keys({ ...byLackOfValue, ...columnFilters }).filter((name) => name.endsWith('Not')),
];

/** Filters by when something happened. */
export const timeFilters = {
  createdAfter: DayOrTime.optional(),
  updatedAfter: DayOrTime.optional(),
};

/** The sort keys of a list. `priority` begins with the urgent items; those without a value come last. */
export const SORT_KEYS = ['priority', 'createdAt', 'updatedAt', 'dueDate', 'estimate', 'title', 'assignee'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface SortBy {
  readonly key: SortKey;
  readonly isReversed: boolean;
}

/** @returns undefined if a key is unknown or named twice */
export function sortFrom(text: string): SortBy[] | undefined {
  const keys = text.split(',').map((part) => part.trim());
  const sort = keys.map((name) => ({ key: name.replace(/^-/, '') as SortKey, isReversed: name.startsWith('-') }));
  const isKnown = sort.every(({ key }) => SORT_KEYS.includes(key));
  return isKnown && new Set(sort.map(({ key }) => key)).size === sort.length ? sort : undefined;
}

export const Sort = z
  .string()
  .max(100)
  .refine((text) => sortFrom(text), `must be some of ${SORT_KEYS.join(', ')}, each once, with - for the reverse`)
  .describe('Such as priority,-updatedAt');
