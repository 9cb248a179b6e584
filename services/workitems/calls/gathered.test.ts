import { expect, test } from 'vitest';
import { shared } from './gathered.ts';

/** Reads that end when told to. */
function readings() {
  const begun: { end(answer: string): void; fail(error: Error): void }[] = [];
  const read = () =>
    new Promise<string>((end, fail) => {
      begun.push({ end, fail });
    });
  return { begun, read };
}

test('callers that ask during a read share the next one, which begins after they asked', async () => {
  const { begun, read } = readings();
  const ask = shared<string>();
  const first = ask('a', read);
  const later = [ask('a', read), ask('a', read)];
  expect(begun).toHaveLength(1);
  begun[0]?.end('one');
  expect(await first).toBe('one');
  await expect.poll(() => begun.length).toBe(2);
  const last = ask('a', read);
  begun[1]?.end('two');
  expect(await Promise.all(later)).toEqual(['two', 'two']);
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.end('three');
  expect(await last).toBe('three');
});

test('a read that fails fails for those that share it, and for nobody else', async () => {
  const { begun, read } = readings();
  const ask = shared<string>();
  const first = ask('a', read);
  const second = ask('a', read);
  const other = ask('b', read);
  expect(begun).toHaveLength(2);
  begun[0]?.fail(new Error('unavailable'));
  await expect(first).rejects.toThrow('unavailable');
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.end('two');
  begun[1]?.end('b');
  expect([await second, await other]).toEqual(['two', 'b']);
});
