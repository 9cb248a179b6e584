import { expect, test } from 'vitest';
import { keyRingSetting, signingKey, subkeys } from './key-ring.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n:'.repeat(16)];

test('the first key of a ring signs, and all are found by their ids', () => {
  const ring = keyRingSetting.parse(`new:${NEW}, old:${OLD}`);
  const [keyId, key] = signingKey(ring);
  expect([keyId, key.export().toString()]).toEqual(['new', NEW]);
  expect(ring.get('old')?.export().toString()).toBe(OLD);
});

test.each([['', 'new', `:${NEW}`, 'new:short', `new:${NEW},`, `new:${NEW},new:${OLD}`, `n w:${NEW}`, NEW]].flat())(
  '%j is not a ring',
  (value) => {
    expect(keyRingSetting.safeParse(value).success).toBe(false);
  },
);

test('keys for two purposes differ, and neither is the secret itself', () => {
  const ring = keyRingSetting.parse(`new:${NEW}`);
  const of = (purpose: string) => subkeys(ring, purpose).get('new')?.export().toString('latin1');
  const [one, two] = [of('one'), of('two')];
  expect(one).not.toBe(two);
  expect(one).toBe(of('one'));
  expect(one).not.toContain(NEW);
});
