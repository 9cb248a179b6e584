import { expect, test } from 'vitest';
import { daysOf, MAX_EMPTY_DAYS } from './days.ts';

const to = '2026-03-02';

test('a period has each of its days once, across month and year boundaries', () => {
  expect(daysOf({ from: '2026-02-27', to }, [])).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
  expect(daysOf({ from: '2023-12-31', to: '2024-01-01' }, [])).toEqual(['2023-12-31', '2024-01-01']);
  expect(daysOf({ from: to, to }, [])).toEqual([to]);
});

test('without a first day it begins with the first session, or else shows its last day', () => {
  expect(daysOf({ from: undefined, to }, ['2026-02-28', '2026-03-02'])[0]).toBe('2026-02-28');
  expect(daysOf({ from: undefined, to }, [])).toEqual([to]);
});

test('a first day long before the first session does not make it longer', () => {
  expect(daysOf({ from: '0001-01-01', to }, ['2026-03-01'])).toEqual(['2026-03-01', '2026-03-02']);
  expect(daysOf({ from: '2025-03-02', to }, ['2026-03-01']).length).toBeLessThanOrEqual(MAX_EMPTY_DAYS);
});
