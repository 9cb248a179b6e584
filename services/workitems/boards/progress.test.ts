import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { expect, test } from 'vitest';
import { isPending, progressOf } from './progress.ts';

test('the standard columns are in order of progress, and any other name counts as In Progress', () => {
  const order = [...STANDARD_COLUMNS].sort((a, b) => progressOf(a) - progressOf(b));
  expect(order).toEqual(STANDARD_COLUMNS);
  expect(progressOf('Blocked')).toBe(progressOf('In Progress'));
  expect(progressOf('backlog')).toBe(progressOf('In Progress'));
});

test('pending is what nobody has started', () => {
  expect(STANDARD_COLUMNS.filter(isPending)).toEqual(['Backlog', 'To Do']);
});
