import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rateHeaders, tooMany } from '../../http/rate-headers.ts';
import { MemoryRateWindows } from './rate-window.ts';

const WINDOW_MS = 100;
const arrivals = fc.array(fc.nat(40), { maxLength: 60 }).map((gaps) => {
  let atMs = 1_000;
  return gaps.map((gap) => {
    atMs += gap;
    return atMs;
  });
});

test('no window of that length ever holds more admitted requests than the limit, and nothing is refused while it holds fewer', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (times, limit) => {
      const windows = new MemoryRateWindows();
      const admitted: number[] = [];
      for (const nowMs of times) {
        const [state] = windows.count([{ name: 'ip', key: 'k', limit }], WINDOW_MS, nowMs);
        const inWindow = admitted.filter((atMs) => atMs > nowMs - WINDOW_MS).length;
        expect(state?.retryMs === 0).toBe(inWindow < limit);
        if (state?.retryMs === 0) admitted.push(nowMs);
        expect(state?.remaining).toBe(Math.max(0, limit - inWindow - (state?.retryMs === 0 ? 1 : 0)));
      }
    }),
  );
});

test('after the time that a refusal names, and not before, the request is admitted', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (times, limit) => {
      const window = [{ name: 'ip', key: 'k', limit }] as const;
      const windows = new MemoryRateWindows();
      for (const nowMs of times) {
        const retryMs = windows.count(window, WINDOW_MS, nowMs)[0]?.retryMs ?? 0;
        if (retryMs === 0) continue;
        expect(windows.count(window, WINDOW_MS, nowMs + retryMs - 1)[0]?.retryMs).toBe(1);
        expect(windows.count(window, WINDOW_MS, nowMs + retryMs)[0]?.retryMs).toBe(0);
        return;
      }
    }),
  );
});

test('a request that one of its windows refuses counts in none of them', () => {
  const windows = new MemoryRateWindows();
  const ip = { name: 'ip', key: 'ip', limit: 10 } as const;
  const source = { name: 'source', key: 'source', limit: 1 } as const;
  windows.count([ip, source], WINDOW_MS, 0);
  expect(windows.count([ip, source], WINDOW_MS, 1).map(({ remaining }) => remaining)).toEqual([9, 0]);
  expect(windows.count([ip], WINDOW_MS, 2)[0]?.remaining).toBe(8);
});

test('the headers name each limit, what is left of it, and whole seconds until there is more', () => {
  const rates = [
    { name: 'ip', limit: 10, windowMs: 60_000, remaining: 0, resetMs: 59_001, retryMs: 59_001 },
    { name: 'source', limit: 600, windowMs: 60_000, remaining: 599, resetMs: 1, retryMs: 0 },
  ] as const;
  expect(rateHeaders(rates)).toEqual({
    'RateLimit-Policy': '"ip";q=10;w=60, "source";q=600;w=60',
    RateLimit: '"ip";r=0;t=60, "source";r=599;t=1',
  });
  expect(tooMany('Too many.', 59_001)).toMatchObject({
    message: 'Too many. Try again in 60 s.',
    extra: { retryAfterSeconds: 60 },
  });
  expect(tooMany('Too many.', 1).extra.retryAfterSeconds).toBe(1);
});
