import { effect } from '@preact/signals';
import type { RawInput } from '@worktrack/contracts/operation';
import { valuesIn } from '@worktrack/contracts/query-values';
import type { listCards, listProjectCards } from '@worktrack/contracts/work-items/lists/cards';
import { queries } from '../../api/query.ts';
import { today } from '../../clock.ts';
import { CHOSEN, type DayField } from '../../parts/item/plain-fields.ts';
import { filter } from '../../router.ts';

// What a board and a list are narrowed to is in the address, by the names of the API's parameters: a saved view is understood by every client.

/** Several values of one are alternatives; with `Not`, none of them. */
export const FIELDS = ['boardColumnId', 'type', ...CHOSEN, 'assignee', 'leaseState', 'label', 'epic'] as const;
export type Field = (typeof FIELDS)[number];
export type Parameter = Field | `${Field}Not`;

/** As the service calls what has no value of a field, in filters and as a group. */
export const NONE = 'none';

/** By what the days of items are narrowed. */
export const OF_DAYS = {
  dueDate: ['overdue', 'dueAfter', 'dueBefore'],
} as const satisfies Readonly<Record<DayField, readonly string[]>>;
const BY_DAY = Object.values(OF_DAYS).flat();
const ofField = (field: Field): readonly Parameter[] => [field, `${field}Not`];

export type ItemFilters = Pick<RawInput<typeof listProjectCards>, 'search' | Parameter | (typeof BY_DAY)[number]>;
/** Those of a board, whose columns are all shown. */
export type CardFilters = Omit<
  Pick<RawInput<typeof listCards>, keyof ItemFilters & keyof RawInput<typeof listCards>>,
  'boardColumnId'
>;

/** As the address has them. */
export function itemFilters(): ItemFilters {
  const { boardColumnId, boardColumnIdNot } = given(ofField('boardColumnId'));
  return { ...cardFilters(), ...(boardColumnId && { boardColumnId }), ...(boardColumnIdNot && { boardColumnIdNot }) };
}

export function cardFilters(): CardFilters {
  const names = FIELDS.filter((field) => field !== 'boardColumnId').flatMap(ofField);
  const { overdue, ...days } = given(BY_DAY);
  // What is none of the values is refused by the service, which says so.
  const byValue = given(names) as CardFilters;
  const isOverdue = overdue === 'true' || overdue === 'false' ? overdue === 'true' : undefined;
  return { search: filter('q'), ...byValue, ...days, ...(isOverdue !== undefined && { overdue: isOverdue }) };
}

// No event says that a day has passed.
effect(() => {
  if (today.value) void queries.invalidateQueries({ predicate: ({ queryHash }) => queryHash.includes('"overdue":') });
});

function given<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const set = names.map((name) => [name, filter(name)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Partial<Record<Name, string>>;
}

/** By the names of the API's parameters, besides the search (`q` in the address, `search` there). */
export const PARAMETERS: readonly string[] = [...FIELDS.flatMap(ofField), ...BY_DAY];

/** For `setFilters`: none of them. */
export const NO_FILTERS = Object.fromEntries(['q', ...PARAMETERS].map((name) => [name, undefined])) as Readonly<
  Record<string, undefined>
>;

export function valuesOf(parameter: Parameter): string[] {
  const text = filter(parameter);
  return text === undefined ? [] : valuesIn(text);
}
