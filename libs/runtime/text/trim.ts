import { AnswerBudget } from '../process/answer-budget.ts';
import { level } from './level.ts';

/** Below this, the remainder of a value is meaningless: entries are left out instead. */
const MIN_ENTRY_BYTES = 40;

/** Size of a value's JSON in bytes: 0 for a value that JSON leaves out. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The beginning of a text whose JSON has at most this many bytes. */
export function cutText(text: string, maxBytes: number): string {
  let kept = text;
  for (let bytes = bytesOf(text); bytes > maxBytes; bytes = bytesOf(`${kept}…`)) {
    const length = Math.min(kept.length - 1, Math.floor((kept.length * maxBytes) / bytes));
    if (length <= 0) return '…';
    // Not in the middle of a character.
    kept = kept.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  }
  return kept === text ? text : `${kept}…`;
}

/** The leading entries whose JSON together has at most this many bytes. */
export function firstEntries<T>(entries: readonly T[], maxBytes: number): T[] {
  return new AnswerBudget(maxBytes - '[]'.length).take(entries);
}

/** Any JSON, cut to at most this many bytes: large parts are cut first, and if there are too many small ones, the last of them. */
export function trim(value: unknown, maxBytes: number): unknown {
  if (bytesOf(value) <= maxBytes) return value;
  if (typeof value === 'string') return cutText(value, maxBytes);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const cap = level(value.map(bytesOf), maxBytes - '[]'.length - value.length * ','.length);
    return cap < MIN_ENTRY_BYTES ? firstEntries(value, maxBytes) : value.map((entry) => trim(entry, cap));
  }
  const entries = Object.entries(value);
  const names = entries.reduce((sum, [name]) => sum + bytesOf(name) + ':,'.length, '{}'.length);
  const cap = level(
    entries.map(([, inner]) => bytesOf(inner)),
    maxBytes - names,
  );
  if (cap >= MIN_ENTRY_BYTES) return Object.fromEntries(entries.map(([name, inner]) => [name, trim(inner, cap)]));
  let left = maxBytes - '{}'.length;
  return Object.fromEntries(
    entries.filter(([name, inner]) => {
      const bytes = bytesOf(name) + bytesOf(inner) + ':,'.length;
      if (bytes > left) return false;
      left -= bytes;
      return true;
    }),
  );
}
