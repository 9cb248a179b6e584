import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { expect, test } from 'vitest';
import { changesCount } from './changes.ts';

const change = { from: null, to: null };

test.each([
  ['work_item.updated', { changes: { title: change, dueDate: change } }, false],
  ['work_item.updated', { changes: { title: change, assignee: change } }, true],
  ['work_item.updated', { changes: { title: change }, mentions: ['somebody'] }, true],
  ['work_item.updated', { budget: null }, true],
  ['work_item.moved', {}, true],
  ['work_item.ai_session', {}, false],
] as const)('whether %s with %j changes how much needs somebody: %j', (type, data, isSo) =>
  expect(changesCount({ type, data } as unknown as LoggedEvent)).toBe(isSo),
);
