import type { Identity } from '@worktrack/contracts/keys/identity';
import { expect, test } from 'vitest';
import { keyOf } from './call-places.ts';

const USER = { id: 'bob', name: 'Bob', email: 'bob@example.com', role: 'member' };
const identity: Identity = {
  user: USER,
  organization: { id: 'example', name: 'Example' },
  permissions: [],
  projects: null,
  key: { id: 'presented', name: 'CI', prefix: 'wt_12345678' },
};
const expiresAt = '2030-01-01T00:00:00.000Z';

test.each<[string, Partial<Identity>, string]>([
  ['a key', {}, 'presented'],
  ['a key that was made by rotation', { rotatedFrom: 'first' }, 'first'],
  ['a session', { session: { keyId: 'opener', expiresAt } }, 'opener'],
  [
    'a session of a key that was made by rotation',
    { session: { keyId: 'opener', expiresAt }, rotatedFrom: 'first' },
    'first',
  ],
  [
    'a session of somebody who was invited',
    { session: { keyId: 'opener', keyUserId: 'ada', expiresAt } },
    'opener/bob',
  ],
  ['a token of a rule of trust', { rule: { id: 'rule', expiresAt } }, 'rule'],
])('calls with %s share places', (_, presented, share) => {
  expect(keyOf({ ...identity, ...presented })).toBe(share);
});
