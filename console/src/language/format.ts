import { locale } from './language.ts';

/** Formatters are expensive to create, and there are few. */
const made = new Map<string, unknown>();

export function formatter<T>(kind: string, make: (tag: string) => T): T {
  const key = `${kind} ${locale.value}`;
  let found = made.get(key) as T | undefined;
  if (!found) {
    found = make(locale.value);
    made.set(key, found);
  }
  return found;
}

/** @param kind names the options */
function asNumber(value: number, kind: string, options: Intl.NumberFormatOptions = {}): string {
  return formatter(kind, (tag) => new Intl.NumberFormat(tag, options)).format(value);
}

export const number = (value: number): string => asNumber(value, 'number');

/** “1.2K”. */
export const roughly = (value: number): string =>
  asNumber(value, 'roughly', { notation: 'compact', maximumFractionDigits: 1 });

/** @param part from 0 to 1 */
export const percent = (part: number): string => asNumber(part, 'percent', { style: 'percent' });

/** Dollars: to the cent, or, below one dollar, to the tenth of a cent. */
export function dollars(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 1 ? 3 : 2;
  return asNumber(value, `dollars${digits}`, {
    ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
    ...{ minimumFractionDigits: 2, maximumFractionDigits: digits },
  });
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function bytes(count: number): string {
  const step = count < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const unit = BYTE_UNITS[step] ?? 'byte';
  return asNumber(count / 1000 ** step, unit, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 });
}

/** @param kind names the options */
function asDate(at: string | number, kind: string, options: Intl.DateTimeFormatOptions): string {
  return formatter(kind, (tag) => new Intl.DateTimeFormat(tag, options)).format(new Date(at));
}

/** @param at ISO 8601 */
export const dateAndTime = (at: string): string =>
  asDate(at, 'dateAndTime', { dateStyle: 'medium', timeStyle: 'short' });

export const day = (at: string): string => asDate(at, 'day', { dateStyle: 'medium' });

/** @param date in UTC, as usage is counted: `2026-01-31` */
export const utcDay = (date: string): string => asDate(date, 'utcDay', { dateStyle: 'medium', timeZone: 'UTC' });

/** “31 Jan”. @param date in UTC */
export const shortUtcDay = (date: string): string =>
  asDate(date, 'shortUtcDay', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** “31 Jan”, or of another year than this “31 Jan 2030”. @param date in UTC */
export const nearUtcDay = (date: string): string =>
  new Date(date).getUTCFullYear() === new Date().getUTCFullYear() ? shortUtcDay(date) : utcDay(date);

export const time = (at: string | number): string => asDate(at, 'time', { timeStyle: 'short' });

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const DAY_MS = 86_400_000;

/** “in 4 minutes”, “3 hours ago”, “yesterday”: from 24 hours on in days of the calendar, of which two midnights make two. */
export function fromNow(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000);
  const days = Math.abs(seconds * 1000) >= DAY_MS ? dayNumber(new Date(at)) - dayNumber(new Date(nowMs)) : 0;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const format = formatter('fromNow', (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));
  return days === 0 ? format.format(Math.trunc(seconds / size), unit) : format.format(days, 'day');
}

/** Days where the visitor is, some of which have 23 or 25 hours. */
const dayNumber = (at: Date) => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / DAY_MS;

/** “4 min”, “2 hr 5 min”: how long something takes, or has left. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return unit(seconds, 'second');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return unit(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return [unit(hours, 'hour'), ...(minutes % 60 ? [unit(minutes % 60, 'minute')] : [])].join(' ');
}

export const unit = (value: number, name: 'millisecond' | 'second' | 'minute' | 'hour'): string =>
  asNumber(value, name, { style: 'unit', unit: name, unitDisplay: 'short' });
