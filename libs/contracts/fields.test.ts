import { describe, expect, it } from 'vitest';
import { DayOrTime } from './fields.ts';

describe('a day or a time', () => {
  it.each(['2026-01-31', '2024-02-29', '2026-01-31T12:00Z', '2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00+02:00'])(
    'is %s',
    (given) => {
      expect(DayOrTime.parse(given)).toBe(given);
      expect(Date.parse(given)).not.toBeNaN();
    },
  );

  it.each([
    ['2026-02-30', 'does not exist'],
    ['2026-02-29', 'does not exist'],
    ['2026-02-30T12:00:00Z', 'does not exist'],
    ['2026-01-31T25:00:00Z', 'does not exist'],
    ['2026-01-31T12:00:00', 'has no zone'],
    ['2026-01', 'is a month'],
    ['yesterday', 'is a word'],
    ['', 'is empty'],
  ])('is not %j, which %s', (given) => {
    expect(DayOrTime.safeParse(given).success).toBe(false);
  });
});
