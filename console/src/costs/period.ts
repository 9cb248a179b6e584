import { today } from '../clock.ts';
import { filter } from '../router.ts';
import { DAY_MS, dateOf, type Period } from './days.ts';

/** How many days up to today; `all`: since the beginning. */
export const PERIODS = ['7', '30', '90', '365', 'all'] as const;
export type PeriodName = (typeof PERIODS)[number];
const DEFAULT: PeriodName = '30';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** What the address asks for: days of one's own choice (`from`, `to`), else the last days. */
export function periodOfAddress(): Period & { readonly name: PeriodName | 'chosen' } {
  // Of a page that is open over night, the next one.
  const last = today.value;
  const [from, to] = [dateIn('from'), dateIn('to')];
  // Nothing was used after today, of which a chart would have a day each.
  if (from || to) return { name: 'chosen', from, to: to && to < last ? to : last };
  const name = PERIODS.find((known) => known === filter('period')) ?? DEFAULT;
  return { name, from: name === 'all' ? undefined : dateOf(Date.parse(last) - (Number(name) - 1) * DAY_MS), to: last };
}

function dateIn(name: string): string | undefined {
  const date = filter(name) ?? '';
  return DATE.test(date) && !Number.isNaN(Date.parse(date)) ? date : undefined;
}
