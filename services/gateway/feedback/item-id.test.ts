import { expect, test } from 'vitest';
import { itemIdOf } from './item-id.ts';

test('the same key at the same source is the same item; another key, or another source, is a different one', () => {
  expect(itemIdOf('source', 'key')).toBe(itemIdOf('source', 'key'));
  expect(itemIdOf('source', 'key')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const ids = ['key', 'Key', 'key ', 'ke', ''].flatMap((key) => [itemIdOf('a', key), itemIdOf('b', key)]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('without a key every submission is an item of its own', () => {
  expect(itemIdOf('source', undefined)).not.toBe(itemIdOf('source', undefined));
});
