import { expect, test } from 'vitest';
import { reportEvery } from './report-every.ts';

/** Resolves after so many intervals. */
async function intervals(count: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  let left = count;
  const each = setInterval(() => --left === 0 && over.resolve(), 1);
  await over.promise;
  clearInterval(each);
}

test('a report that takes long is followed by one, however many intervals it took', async () => {
  const answered = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let sent = 0;
  let atOnce = 0;
  const reports = reportEvery(1, async () => {
    sent++;
    expect(++atOnce).toBe(1);
    begun.resolve();
    await answered.promise;
    atOnce--;
  });
  await begun.promise;
  await intervals(50);
  const stopped = reports.stop();
  answered.resolve();
  await stopped;
  expect(sent).toBe(2);
});
