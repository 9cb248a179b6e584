import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paced } from './paced.ts';

const EVERY_MS = 100;
/** When each run began. */
let begunAtMs: number[];
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  begunAtMs = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function work(): Promise<void> {
  begunAtMs.push(Date.now());
  return new Promise((resolve) => {
    end = resolve;
  });
}

test('the first run begins at once, however often it is asked for; the next after the pause', async () => {
  const ask = paced(work, EVERY_MS);
  ask();
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(begunAtMs).toEqual([0]);
  end();
  ask();
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(begunAtMs).toEqual([0, EVERY_MS]);
  end();
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
  expect(begunAtMs).toEqual([0, EVERY_MS]);
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(begunAtMs).toEqual([0, EVERY_MS, 11 * EVERY_MS]);
});

test('a run begins after the one before it has ended, unless that hangs', async () => {
  const ask = paced(work, EVERY_MS);
  ask();
  await vi.advanceTimersByTimeAsync(0);
  ask();
  await vi.advanceTimersByTimeAsync(5 * EVERY_MS);
  expect(begunAtMs).toEqual([0]);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(begunAtMs).toEqual([0, 5 * EVERY_MS]);
  ask();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begunAtMs).toHaveLength(3);
});

test('a run that fails does not keep the next from beginning', async () => {
  const ask = paced(async () => {
    begunAtMs.push(Date.now());
    throw new Error('The gateway is not there.');
  }, EVERY_MS);
  ask();
  await vi.advanceTimersByTimeAsync(0);
  ask();
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(begunAtMs).toEqual([0, EVERY_MS]);
});
