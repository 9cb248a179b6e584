import { randomUUID } from 'node:crypto';
import { allOperations } from '@worktrack/contracts/catalogue';
import type { Operation } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS, ROLES } from '@worktrack/contracts/permissions';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { sampleInput } from './sample-input.ts';
import { sendEverywhere } from './send.ts';

let system: System;
let organization: TestOrganization;
const keyOfRole = new Map<string, string>();

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  for (const role of ROLES) {
    const user = await organization.call<{ id: string }>('POST', '/api/users', {
      email: `${role}-${randomUUID()}@example.com`,
      name: role,
      role,
    });
    const key = await organization.call<{ key: string }>('POST', '/api/api-keys', {
      name: role,
      userId: user.data.id,
      permissions: ROLE_PERMISSIONS[role],
    });
    keyOfRole.set(role, key.data.key);
  }
});

/** Nothing has these ids, so a call that is let through changes nothing that this file needs. */
const inputOf = (operation: Operation) => sampleInput(operation, () => randomUUID());

const guarded = allOperations().filter(
  (operation) => (operation.rest ?? operation.mcp) && PERMISSIONS.includes(operation.permission as Permission),
);

describe.each(ROLES)('a key of a user with the role %s', (role) => {
  test.each(guarded.map((operation) => [operation.name, operation.permission, operation] as const))(
    'may call %s only with %s',
    async (_name, permission, operation) => {
      const held = ROLE_PERMISSIONS[role].includes(permission as Permission);
      const outcomes = await sendEverywhere(operation, inputOf(operation), system.baseUrl, keyOfRole.get(role) ?? '');
      for (const { via, code, text } of outcomes) {
        expect({ via, denied: code === 'PERMISSION_DENIED', text }).toMatchObject({ via, denied: !held });
        if (!held) expect(text).toContain(permission);
      }
    },
  );
});

test('a key may do no more than it was given, whatever its user may do', async () => {
  const key = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'Reads',
    permissions: ['work-items:read'],
  });
  for (const operation of guarded) {
    const outcomes = await sendEverywhere(operation, inputOf(operation), system.baseUrl, key.data.key);
    for (const { code, text } of outcomes) {
      const seen = { name: operation.name, text };
      const needsOther = code === 'PERMISSION_DENIED' && !text.includes('work-items:read');
      // A composition may need what its parts need: then it says so, and is refused as well.
      if (operation.permission === 'work-items:read')
        expect({ ...seen, denied: code === 'PERMISSION_DENIED' && !needsOther }).toEqual({ ...seen, denied: false });
      else expect({ ...seen, denied: code === 'PERMISSION_DENIED' }).toEqual({ ...seen, denied: true });
    }
  }
});
