import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-03-02T09:30:00Z');
test.each([
  ['120', 120_000],
  ['0', 0],
  ['Mon, 02 Mar 2026 09:31:00 GMT', 60_000],
  ['Mon, 02 Mar 2026 09:29:00 GMT', 0],
  ['soon', undefined],
  ['1.5s', undefined],
  ['99999999999999999999', undefined],
  [undefined, undefined],
])('Retry-After: %s', (header, expected) => expect(retryAfterMs(header, NOW)).toBe(expected));
