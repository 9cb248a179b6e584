import { expect, test } from 'vitest';
import { differenceOf, type Editable } from './changes.ts';

const item: Editable = {
  title: 'Title',
  description: '',
  type: 'task',
  priority: 'medium',
  assignee: null,
  parentId: null,
  metadata: { a: { b: [1] }, c: 1, d: 2 },
};

test('only what is given and differs is a change, and is reported with both values', () => {
  expect(differenceOf(item, { title: 'New', description: undefined, priority: 'medium', assignee: 'ada' })).toEqual({
    changes: { title: 'New', assignee: 'ada' },
    described: { title: { from: 'Title', to: 'New' }, assignee: { from: null, to: 'ada' } },
  });
});

test('equal metadata is no change', () => {
  expect(differenceOf(item, { metadata: structuredClone(item.metadata) })).toEqual({ changes: {}, described: {} });
});

test('for metadata, the top-level keys that differ are reported', () => {
  const metadata = { a: { b: [2] }, c: 1, e: null };
  expect(differenceOf(item, { metadata })).toEqual({
    changes: { metadata },
    described: { metadata: { from: { a: { b: [1] }, d: 2 }, to: { a: { b: [2] }, e: null } } },
  });
});
