import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { messages } from '../../language/messages.ts';

/** What fields are called that are shown, told and copied as they are stored. One that is new and not here does not compile. */
export const fieldWords = messages({
  priority: { en: 'Priority', de: 'Priorität', tr: 'Öncelik', ja: '優先度' },
  dueDate: { en: 'Due date', de: 'Fällig am', tr: 'Bitiş tarihi', ja: '期限' },
  estimate: { en: 'Estimate', de: 'Schätzung', tr: 'Tahmin', ja: '見積もり' },
}) satisfies Readonly<Record<PlainField, string>>;

type Value<Name extends PlainField> = NonNullable<WorkItem[Name]>;
/** Those of a few values. */
export type ChosenField = {
  [Name in PlainField]: string extends Value<Name> ? never : Value<Name> extends string ? Name : never;
}[PlainField];
/**
 * Their values in the order in which they are offered and sorted, and that of a new item: `null` for a field that may have none. Items, lists, cells, filters
 * and menus show all of these fields.
 */
export const CHOICES = {
  priority: { values: ['urgent', 'high', 'medium', 'low'], initial: 'medium' },
} as const satisfies {
  readonly [Name in ChosenField]: { readonly values: readonly Value<Name>[]; readonly initial: WorkItem[Name] };
};
export const CHOSEN = Object.keys(CHOICES) as readonly ChosenField[];
export const isChosen = (name: string): name is ChosenField => name in CHOICES;

/** Those that are written, by the kind of their input: forms, lists and cells show all of them in this order, and filters the days. */
export type WrittenField = Exclude<PlainField, ChosenField>;
export const INPUTS = { dueDate: 'date', estimate: 'number' } as const satisfies Readonly<
  Record<WrittenField, 'date' | 'number'>
>;
export const WRITTEN = Object.keys(INPUTS) as readonly WrittenField[];
export const isWritten = (name: string): name is WrittenField => name in INPUTS;

export type DayField = { [Name in WrittenField]: (typeof INPUTS)[Name] extends 'date' ? Name : never }[WrittenField];
export const isDay = (name: string): name is DayField => INPUTS[name as WrittenField] === 'date';
export const DAYS = WRITTEN.filter(isDay);

export function asStored(name: WrittenField, text: string): string | number | null {
  if (text === '') return null;
  return isDay(name) ? text : Number(text);
}

export const PLAIN_FIELDS = Object.keys(fieldWords) as readonly PlainField[];
