import { expect, test } from 'vitest';
import { endpointPauseMs, pauseMs } from './schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test('an event is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then no more', () => {
  const pauses = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
  expect(Array.from({ length: 10 }, (_, index) => pauseMs(index + 1, 0, 0))).toEqual([...pauses, undefined]);
});

test('up to a tenth later, at random', () => {
  expect(pauseMs(2, 0, 1)).toBe(5.5 * MINUTE);
  expect(pauseMs(2, 0, 0.5)).toBe(5.25 * MINUTE);
});

test('a request by the endpoint makes it later, never sooner, and by a day at most', () => {
  expect(pauseMs(1, MINUTE, 0)).toBe(MINUTE);
  expect(pauseMs(2, MINUTE, 0)).toBe(5 * MINUTE);
  expect(pauseMs(1, 1_000 * HOUR, 0)).toBe(24 * HOUR);
  expect(pauseMs(10, MINUTE, 0)).toBeUndefined();
});

test('the longer an endpoint has failed, the less often it is tried, but twice a minute at least', () => {
  expect([0, 5 * SECOND, MINUTE, 4 * MINUTE, HOUR].map(endpointPauseMs)).toEqual([
    SECOND,
    SECOND,
    6 * SECOND,
    24 * SECOND,
    30 * SECOND,
  ]);
});
