import { expect, test } from 'vitest';
import { keyRingSetting, signingKey, subkeys } from './key-ring.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n:'.repeat(16)];

test('the first key of a ring signs, and all are found by their ids', () => {
  const ring = keyRingSetting.parse(`new:${NEW}, old:${OLD}`);
  expect(signingKey(ring)).toEqual(['new', Buffer.from(NEW)]);
  expect(ring.get('old')).toEqual(Buffer.from(OLD));
});

test.each([['', 'new', `:${NEW}`, 'new:short', `new:${NEW},`, `new:${NEW},new:${OLD}`, `n w:${NEW}`, NEW]].flat())(
  '%j is no ring',
  (value) => {
    expect(keyRingSetting.safeParse(value).success).toBe(false);
  },
);

test('keys for two purposes differ, and none is the secret itself', () => {
  const ring = keyRingSetting.parse(`new:${NEW}`);
  const [one, two] = [subkeys(ring, 'one').get('new'), subkeys(ring, 'two').get('new')];
  expect(one).not.toEqual(two);
  expect(one).toEqual(subkeys(ring, 'one').get('new'));
  expect(one?.toString('latin1')).not.toContain(NEW);
});
