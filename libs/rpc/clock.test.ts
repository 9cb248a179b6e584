import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeadlineTimer, nowMs, WaitEstimator } from './clock.ts';

describe('the time a message waited', () => {
  const HOUR_MS = 3_600_000;

  test('is known to within its transit time, whatever the two clocks show, once one message did not wait', () => {
    const clocks = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    const waits = fc.array(fc.tuple(fc.nat({ max: 60_000 }), fc.nat({ max: 1_000 })), { maxLength: 50 });
    fc.assert(
      fc.property(clocks, waits, (offsetMs, messages) => {
        const estimator = new WaitEstimator();
        let sentAtMs = 0;
        estimator.waitedMs('c', sentAtMs, sentAtMs + offsetMs);
        for (const [waitMs, pauseMs] of messages) {
          sentAtMs += pauseMs;
          const estimated = estimator.waitedMs('c', sentAtMs, sentAtMs + offsetMs + waitMs);
          // The allowance for clock drift, and the rounding of huge readings.
          expect(estimated).toBeGreaterThan(waitMs - 120 - 1);
          expect(estimated).toBeLessThan(waitMs + 1);
        }
      }),
    );
  });

  test('is never overestimated for a client whose first messages all waited', () => {
    const estimator = new WaitEstimator();
    expect(estimator.waitedMs('c', 0, 9_000)).toBe(0);
    expect(estimator.waitedMs('c', 1_000, 9_500)).toBe(0);
    expect(estimator.waitedMs('c', 2_000, 10_600)).toBeCloseTo(100, -1);
  });

  test('is right again at once after the server was suspended, and after hours of drift', () => {
    const estimator = new WaitEstimator();
    estimator.waitedMs('c', 0, 0);
    // The server's clock stood still for an hour.
    expect(estimator.waitedMs('c', HOUR_MS, 10)).toBe(0);
    expect(estimator.waitedMs('c', HOUR_MS + 1_000, 1_510)).toBeCloseTo(500, -1);
    // The client's clock is slow by 100 ppm, for ten hours, a message a minute.
    for (let minute = 1; minute <= 600; minute++) {
      const atMs = HOUR_MS + 1_000 + minute * 60_000;
      expect(estimator.waitedMs('c', atMs, 1_010 + minute * 60_000 * 1.0001)).toBeLessThan(10);
    }
  });

  test('is estimated for each client by its own clock, however many clients there have been', () => {
    const estimator = new WaitEstimator();
    for (let client = 0; client < 10_000; client++) estimator.waitedMs(`${client}`, client * 1_000, 0);
    expect(estimator.waitedMs('9999', 9_999_000, 700)).toBeCloseTo(700, -1);
  });
});

describe('a timer for many deadlines', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('ends each call at its deadline, in whatever order they arrived, and sets one timer at a time', () => {
    const deadlines = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(deadlines, (afterMs) => {
        const startMs = nowMs();
        const open = new Set(afterMs.map((ms, index) => ({ index, atMs: startMs + ms })));
        const lateMs: number[] = [];
        const timer = new DeadlineTimer((now) => {
          let next = Number.POSITIVE_INFINITY;
          for (const call of open) {
            if (call.atMs <= now) {
              open.delete(call);
              lateMs.push(now - call.atMs);
            } else next = Math.min(next, call.atMs);
          }
          return next;
        });
        for (const { atMs } of open) timer.watch(atMs);
        expect(vi.getTimerCount()).toBe(1);
        vi.advanceTimersByTime(20_010);
        expect(open.size).toBe(0);
        expect(lateMs).toHaveLength(afterMs.length);
        expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
        // No finer than the sweep.
        expect(Math.max(...lateMs)).toBeLessThanOrEqual(6);
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });

  test('keeps sleeping while calls arrive and are answered', () => {
    let sweeps = 0;
    const open = new Set<number>();
    const timer = new DeadlineTimer(() => {
      sweeps++;
      return Math.min(...open);
    });
    for (let call = 0; call < 1_000; call++) {
      const atMs = nowMs() + 10_000;
      open.add(atMs);
      timer.watch(atMs);
      vi.advanceTimersByTime(10);
      open.delete(atMs);
    }
    expect(sweeps).toBeLessThanOrEqual(2);
    timer.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
