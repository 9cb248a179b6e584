import { expect, test } from 'vitest';
import { endOf, startOf } from './period.ts';

test.each([
  ['a day starts and ends in UTC', '2026-01-31', '2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['a time is itself', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ['a time has its zone', '2026-01-31T12:00+02:00', '2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00.000Z'],
])('%s', (_, given, start, end) => {
  expect(startOf(given).toISOString()).toBe(start);
  expect(endOf(given).toISOString()).toBe(end);
});
