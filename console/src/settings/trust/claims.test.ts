import { expect, test } from 'vitest';
import { claimsIn, idsIn, textOf, withIds } from './claims.ts';

const CLAIMS = { repository_id: '0', repository_owner_id: ['1', '2'], ref: ['refs/heads/main', 'refs/heads/a=b'] };
const TEXT = `repository_id = 0
repository_owner_id = 1
repository_owner_id = 2
ref = refs/heads/main
ref = refs/heads/a=b`;

test('claims are lines, and lines are claims', () => {
  expect(textOf(CLAIMS)).toBe(TEXT);
  expect(claimsIn(` \n${TEXT.replaceAll(' ', '')}\n\n`)).toEqual(CLAIMS);
  expect(claimsIn('sub')).toEqual({ sub: '' });
});

test('of what a refused token had, only ids that the rule asks for are taken', () => {
  const at = '2026-01-31T12:00:00.000Z';
  const ids = idsIn(CLAIMS, [
    { at, claim: 'repository_id', got: '987' },
    { at, claim: 'repository_owner_id', got: '3' },
    { at, claim: 'ref', got: 'refs/heads/evil' },
    { at, claim: 'actor_id', got: '4' },
    { at, claim: 'repository_id', got: 'nothing' },
  ]);
  expect(withIds(CLAIMS, ids)).toEqual({ ...CLAIMS, repository_id: '987', repository_owner_id: ['1', '2', '3'] });
});
