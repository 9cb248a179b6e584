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

export function number(value: number): string {
  return formatter('number', (tag) => new Intl.NumberFormat(tag)).format(value);
}

/** “1.2K”. */
export function roughly(value: number): string {
  return formatter(
    'roughly',
    (tag) => new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }),
  ).format(value);
}

/** @param part from 0 to 1 */
export function percent(part: number): string {
  return formatter('percent', (tag) => new Intl.NumberFormat(tag, { style: 'percent' })).format(part);
}

/** Dollars: to the cent, or, below one dollar, to the tenth of a cent. */
export function dollars(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 1 ? 3 : 2;
  return formatter(
    `dollars${digits}`,
    (tag) =>
      new Intl.NumberFormat(tag, {
        style: 'currency',
        currency: 'USD',
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: 2,
        maximumFractionDigits: digits,
      }),
  ).format(value);
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function bytes(count: number): string {
  const step = count < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const unit = BYTE_UNITS[step] ?? 'byte';
  return formatter(
    unit,
    (tag) => new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }),
  ).format(count / 1000 ** step);
}

/** @param at ISO 8601 */
export function dateAndTime(at: string): string {
  return formatter(
    'dateAndTime',
    (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' }),
  ).format(new Date(at));
}

export function day(at: string): string {
  return formatter('day', (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })).format(new Date(at));
}

/** @param date in UTC, as usage is counted: `2026-01-31` */
export function utcDay(date: string): string {
  return formatter('utcDay', (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' })).format(
    new Date(date),
  );
}

/** “31 Jan”. @param date in UTC */
export function shortUtcDay(date: string): string {
  return formatter(
    'shortUtcDay',
    (tag) => new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
  ).format(new Date(date));
}

/** “31 Jan”, or of another year than this “31 Jan 2030”. @param date in UTC */
export function nearUtcDay(date: string): string {
  return new Date(date).getUTCFullYear() === new Date().getUTCFullYear() ? shortUtcDay(date) : utcDay(date);
}

export function time(at: string | number): string {
  return formatter('time', (tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'short' })).format(new Date(at));
}

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

export function unit(value: number, name: 'millisecond' | 'second' | 'minute' | 'hour'): string {
  return formatter(
    name,
    (tag) => new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'short' }),
  ).format(value);
}
