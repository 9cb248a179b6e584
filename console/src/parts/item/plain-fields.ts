import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import { messages } from '../../language/messages.ts';

/** What fields are called that are shown, told and copied as they are stored. One that is new and not here does not compile. */
export const fieldWords = messages({
  priority: { en: 'Priority', de: 'Priorität', tr: 'Öncelik', ja: '優先度' },
  dueDate: { en: 'Due date', de: 'Fällig am', tr: 'Bitiş tarihi', ja: '期限' },
  estimate: { en: 'Estimate', de: 'Schätzung', tr: 'Tahmin', ja: '見積もり' },
}) satisfies Readonly<Record<PlainField, string>>;

/** Those that are days: in forms, lists and filters all of them come together. */
export const DAYS = ['dueDate'] as const satisfies readonly PlainField[];
export type DayField = (typeof DAYS)[number];
export const isDay = (name: string): name is DayField => (DAYS as readonly string[]).includes(name);

export const PLAIN_FIELDS = Object.keys(fieldWords) as readonly PlainField[];
