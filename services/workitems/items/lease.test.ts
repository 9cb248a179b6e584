import { expect, test } from 'vitest';
import type { LeaseRecord } from './lease.model.ts';
import { handOverProblem } from './lease.ts';

const now = new Date('2026-06-01T12:00:00Z');
const lease = (expiresAt: string): LeaseRecord => ({
  token: 'mine',
  keyId: 'my key',
  agent: 'agent',
  run: 'run',
  claimedAt: new Date('2026-06-01T11:00:00Z'),
  expiresAt: new Date(expiresAt),
  leaseSeconds: 3_600,
  stallsAt: new Date(expiresAt),
  state: 'working',
  userId: 'me',
  heardRevision: 1,
  before: { boardColumnId: 'To Do', assignee: null, isAiProcessing: false },
});
const live = lease('2026-06-01T12:00:01Z');
const expired = lease('2026-06-01T12:00:00Z');

test('a completion repeated after its answer was lost is told that it may have been done', () => {
  const problem = handOverProblem(null, { keyId: 'my key', leaseToken: 'mine' }, now);
  expect(problem).toContain('the item was completed, moved, released, or claimed by another agent');
});

test.each([
  ['no lease, no token', null, 'other key', undefined, true],
  ['no lease, a token that has ended', null, 'my key', 'mine', false],
  ['a live lease, its token, from any key', live, 'other key', 'mine', true],
  ['a live lease, no token, the key that claimed', live, 'my key', undefined, true],
  ['a live lease, no token, another key', live, 'other key', undefined, false],
  ['a live lease, another token, even from the key that claimed', live, 'my key', 'another', false],
  ['an expired lease, its token', expired, 'my key', 'mine', true],
  ['an expired lease, no token, another key', expired, 'other key', undefined, true],
  ['an expired lease, another token', expired, 'my key', 'another', false],
])('a hand-over with %s', (_, given, keyId, leaseToken, may) => {
  expect(handOverProblem(given, { keyId, leaseToken }, now) === undefined).toBe(may);
});
