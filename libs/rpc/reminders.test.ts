import { expect, test } from 'vitest';
import { Reminders } from './reminders.ts';

test('what is away for a night is logged at once and then ever more rarely, and again soon after it was back', () => {
  const reminders = new Reminders();
  const RETRY_MS = 500;
  const HOUR_MS = 3_600_000;
  let atMs = 0;
  const logged = (ms: number) => {
    const times: number[] = [];
    for (const endMs = atMs + ms; atMs < endMs; atMs += RETRY_MS) if (reminders.isDue(atMs)) times.push(atMs);
    return times;
  };
  expect(logged(100_000)).toEqual([0, 10_000, 30_000, 70_000]);
  expect(logged(8 * HOUR_MS).length).toBeLessThan(60);
  reminders.restart(atMs);
  const backAtMs = atMs;
  expect(logged(60_000)).toEqual([backAtMs + 10_000, backAtMs + 20_000, backAtMs + 40_000]);
});
