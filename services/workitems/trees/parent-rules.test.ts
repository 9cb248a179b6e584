import { ITEM_TYPES } from '@worktrack/contracts/work-items/work-item';
import { expect, test } from 'vitest';
import { parentFault } from './parent-rules.ts';

/** The whole table: which type may have which as a parent. */
const ALLOWED = new Set([
  'task under epic',
  'task under feature',
  'task under story',
  'task under task',
  'task under idea',
  'story under feature',
  'feature under epic',
]);

test.each(ITEM_TYPES.flatMap((child) => ITEM_TYPES.map((parent) => ({ child, parent }))))(
  '$child under $parent',
  ({ child, parent }) => {
    expect(parentFault(child, parent) === undefined).toBe(ALLOWED.has(`${child} under ${parent}`));
  },
);

test('a refusal is explained in words', () => {
  expect(parentFault('story', 'epic')).toBe("A story's parent must be a feature, not an epic");
  expect(parentFault('epic', 'idea')).toBe('An epic has no parent');
});
