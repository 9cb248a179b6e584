import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sentInTime, takenInTime } from './pace.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const MINUTE_MS = 60_000;

/** `times` chunks, each after a while. */
async function* source(times: number, bytes: number, everyMs: number): AsyncGenerator<Buffer> {
  for (let time = 0; time < times; time++) {
    await sleep(everyMs);
    yield Buffer.alloc(bytes);
  }
}

/** Reads to the end. @returns the bytes, or the error, and after how long */
function outcomeOf(bytes: AsyncIterable<Buffer>, eachTakesMs = 0): Promise<{ outcome: unknown; afterMs: number }> {
  const startedAtMs = performance.now();
  const read = async () => {
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.length;
      if (eachTakesMs > 0) await sleep(eachTakesMs);
    }
    return size;
  };
  return read().then(
    (outcome) => ({ outcome, afterMs: performance.now() - startedAtMs }),
    (outcome) => ({ outcome, afterMs: performance.now() - startedAtMs }),
  );
}

describe('an upload', () => {
  test.each([
    ['of 1 byte a second', 1, 1_000],
    ['just below 16 KiB a second', 16 * 1024 - 100, 1_000],
    ['that stalls at once', 64 * 1024, 10 * MINUTE_MS],
  ])('%s is ended after 30 s', async (_, bytes, everyMs) => {
    const ended = outcomeOf(sentInTime(source(1_000, bytes, everyMs)));
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await ended).toMatchObject({
      outcome: {
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining('fewer than 16 KiB per second over 30 s'),
      },
      afterMs: expect.closeTo(30_000, -2),
    });
  });

  test('that was fast and then stalls is ended too', async () => {
    const stalls = async function* () {
      yield* source(100, 64 * 1024, 10);
      await sleep(10 * MINUTE_MS);
    };
    const ended = outcomeOf(sentInTime(stalls()));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await ended).toMatchObject({ outcome: { code: 'VALIDATION_FAILED' } });
  });

  test.each([
    ['of 17 KiB a second', 17 * 1024, 1_000, 0],
    ['whose service takes 40 s for each chunk', 64 * 1024, 10, 40_000],
  ])('%s is not', async (_, bytes, everyMs, eachTakesMs) => {
    const ended = outcomeOf(sentInTime(source(100, bytes, everyMs)), eachTakesMs);
    await vi.advanceTimersByTimeAsync(70 * MINUTE_MS);
    expect((await ended).outcome).toBe(100 * bytes);
  });
});

describe('a download', () => {
  const taken = (bytes: AsyncIterable<Buffer>, tooSlow: (error: Error) => void, eachTakesMs: number) =>
    outcomeOf(takenInTime(bytes, tooSlow), eachTakesMs);

  test.each([
    ['that is not read', 64 * 1024, 10 * MINUTE_MS],
    ['of which less than 16 KiB a second are read', 16 * 1024 - 100, 1_000],
  ])('%s is ended after 30 s', async (_, bytes, eachTakesMs) => {
    const tooSlow = vi.fn();
    void taken(source(1_000, bytes, 0), tooSlow, eachTakesMs);
    await vi.advanceTimersByTimeAsync(29_900);
    expect(tooSlow).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(tooSlow).toHaveBeenCalled();
  });

  test('whose service takes 40 s for each chunk is not', async () => {
    const tooSlow = vi.fn();
    const ended = taken(source(100, 1_024, 40_000), tooSlow, 0);
    await vi.advanceTimersByTimeAsync(70 * MINUTE_MS);
    expect((await ended).outcome).toBe(100 * 1_024);
    expect(tooSlow).not.toHaveBeenCalled();
  });
});
