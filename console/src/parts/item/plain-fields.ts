import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import { messages } from '../../language/messages.ts';

/** What fields are called that are shown, told and copied as they are stored. One that is new and not here does not compile. */
export const fieldWords = messages({
  priority: { en: 'Priority', de: 'Priorität', tr: 'Öncelik', ja: '優先度' },
  dueDate: { en: 'Due date', de: 'Fällig am', tr: 'Bitiş tarihi', ja: '期限' },
  estimate: { en: 'Estimate', de: 'Schätzung', tr: 'Tahmin', ja: '見積もり' },
}) satisfies Readonly<Record<PlainField, string>>;

/** Those that are written, not chosen, by the kind of their input: forms, lists and cells show all of them in this order, and filters the days. */
export const INPUTS = { dueDate: 'date', estimate: 'number' } as const satisfies Partial<
  Record<PlainField, 'date' | 'number'>
>;
export type WrittenField = keyof typeof INPUTS;
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
