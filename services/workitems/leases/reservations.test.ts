import { expect, test } from 'vitest';
import { isReserved, oneOf, reserve } from './reservations.ts';

test('whoever waits for one of several goes on when the first of them is released', async () => {
  const [first, second] = [reserve('first'), reserve('second')];
  const waiting = oneOf(['first', 'second']);
  second();
  await waiting;
  expect(isReserved('first')).toBe(true);
  first();
});

test('what was released before somebody began to wait for it is not waited for', async () => {
  const release = reserve('item');
  release();
  await oneOf(['item']);
  const other = reserve('other');
  await oneOf(['item', 'other']);
  other();
});
