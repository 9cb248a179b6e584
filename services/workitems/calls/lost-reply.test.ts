import { afterAll, beforeAll, expect, test } from 'vitest';
import { loseReplyOfCommit, loseReplyUntilTooLate } from '../../../test/support/lost-reply.ts';
import { startProject, startWorkItems, stopWorkItems } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

test('the number of an item is given to no other, though the reply to the commit that stored it was lost', async () => {
  const { create } = await startProject();
  const before = await create('task');
  loseReplyOfCommit();
  const stored = await create('task');
  const after = [await create('task'), await create('task')];
  const numbers = [before, stored, ...after].map(({ taskId }) => Number(taskId.split('-').at(-1)));
  expect(numbers).toEqual([1, 2, 3, 4]);
});

test('the same for those that were stored together', async () => {
  const { create } = await startProject();
  await create('task');
  loseReplyOfCommit();
  const together = await Promise.all(Array.from({ length: 20 }, () => create('task')));
  const after = await Promise.all(Array.from({ length: 20 }, () => create('task')));
  const numbers = [...together, ...after].map(({ taskId }) => Number(taskId.split('-').at(-1)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 2));
});

test('the same when it is too late to send it again, as while the database starts', async () => {
  const { create } = await startProject();
  await create('task');
  const isOver = loseReplyUntilTooLate();
  const stored = await create('task');
  isOver();
  const after = [await create('task'), await create('task')];
  expect([stored, ...after].map(({ taskId }) => Number(taskId.split('-').at(-1)))).toEqual([2, 3, 4]);
});
