import { registry } from '@worktrack/runtime/process/metrics';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Bulkhead } from './bulkhead.ts';

const LIMIT = 3;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Requests that end when the test says so. */
function requests(bulkhead: Bulkhead) {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const answered: Promise<void>[] = [];
  let arrived = 0;
  async function end(...which: readonly number[]) {
    for (const n of which) ends.get(n)?.();
    await settled();
  }
  return {
    begun,
    async arrive(count: number, what: (work: () => Promise<void>) => Promise<void> = (work) => work()) {
      for (let i = 0; i < count; i++) {
        const n = arrived++;
        const work = () => {
          begun.push(n);
          return new Promise<void>((end) => ends.set(n, end));
        };
        answered.push(bulkhead.run(() => what(work)));
      }
      await settled();
    },
    end,
    async endAll() {
      for (let n = 0; n < arrived; n++) await end(n);
      await Promise.all(answered);
    },
  };
}

const waiting = async () =>
  (await registry.getSingleMetric('worktrack_intake_waiting_requests')?.get())?.values[0]?.value;

const settled = () => vi.advanceTimersByTimeAsync(0);

test('with no calls, all go at once', async () => {
  const { arrive, begun, endAll } = requests(new Bulkhead(LIMIT));
  await arrive(10);
  expect(begun).toHaveLength(10);
  await endAll();
});

test('alongside calls, no more than the limit are in progress, and each that ends lets the next in, in order', async () => {
  const bulkhead = new Bulkhead(LIMIT);
  const { arrive, begun, end, endAll } = requests(bulkhead);
  bulkhead.noteCall();
  await arrive(8);
  expect(begun).toEqual([0, 1, 2]);
  expect(await waiting()).toBe(5);
  await end(1);
  expect(begun).toEqual([0, 1, 2, 3]);
  await end(0, 2);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  await endAll();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await waiting()).toBe(0);
});

test('what was in progress before a call came counts, and nobody overtakes those who wait', async () => {
  const bulkhead = new Bulkhead(LIMIT);
  const { arrive, begun, end, endAll } = requests(bulkhead);
  await arrive(5);
  bulkhead.noteCall();
  await arrive(2);
  expect(begun).toHaveLength(5);
  await end(0, 1);
  expect(begun).toHaveLength(5);
  await end(2);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  await arrive(1);
  await end(3);
  expect(begun.at(-1)).toBe(6);
  await endAll();
  expect(begun.at(-1)).toBe(7);
});

test('a request that fails gives up its place like any other', async () => {
  const bulkhead = new Bulkhead(1);
  bulkhead.noteCall();
  const failing = bulkhead.run(() => Promise.reject(new Error('refused')));
  const next = bulkhead.run(async () => 'answered');
  await expect(failing).rejects.toThrow('refused');
  await expect(next).resolves.toBe('answered');
});

test('one that waits for something else has no place meanwhile, and takes one again before it continues', async () => {
  const bulkhead = new Bulkhead(1);
  bulkhead.noteCall();
  const { arrive, begun, end, endAll } = requests(bulkhead);
  const done: string[] = [];
  await arrive(1, (work) => bulkhead.outside(work).then(() => void done.push('outside')));
  await arrive(1);
  expect(begun).toEqual([0, 1]);
  await end(0);
  expect(done).toEqual([]);
  await end(1);
  expect(done).toEqual(['outside']);
  await endAll();
});

test('nothing waits longer than two seconds', async () => {
  const bulkhead = new Bulkhead(LIMIT);
  const { arrive, begun, endAll } = requests(bulkhead);
  bulkhead.noteCall();
  await arrive(5);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(begun).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  await endAll();
});

test('ten seconds after the last call nothing waits any more', async () => {
  const bulkhead = new Bulkhead(LIMIT);
  const { arrive, begun, endAll } = requests(bulkhead);
  bulkhead.noteCall();
  await vi.advanceTimersByTimeAsync(10_001);
  await arrive(10);
  expect(begun).toHaveLength(10);
  await endAll();
  bulkhead.noteCall();
  await arrive(10);
  expect(begun).toHaveLength(13);
  await endAll();
});
