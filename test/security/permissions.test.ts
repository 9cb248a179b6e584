import { randomUUID } from 'node:crypto';
import { allOperations } from '@worktrack/contracts/catalogue';
import type { Operation } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS, ROLES } from '@worktrack/contracts/permissions';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { listTools } from '../support/tool-call.ts';
import { sampleInput } from './sample-input.ts';
import { sendEverywhere } from './send.ts';

let system: System;
let organization: TestOrganization;
const keyOfRole = new Map<string, string>();

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  for (const role of ROLES) {
    const { key } = await organization.newUser({ role }, { permissions: ROLE_PERMISSIONS[role] });
    keyOfRole.set(role, key);
  }
});

/** Nothing has these ids, so a call that is let through changes nothing that this file needs. */
const inputOf = (operation: Operation) => sampleInput(operation, () => randomUUID());

interface Guarded {
  readonly operation: Operation;
  readonly permissions: readonly Permission[];
}
const guarded = allOperations().flatMap((operation): Guarded[] => {
  const { permissions, rest, mcp } = operation;
  return permissions === 'internal' || permissions.length === 0 || !(rest ?? mcp) ? [] : [{ operation, permissions }];
});
const named = guarded.map(({ operation, permissions }) => [operation.name, permissions, operation] as const);

test('without a key, no operation is carried out', async () => {
  for (const { operation } of guarded) {
    for (const { via, status } of await sendEverywhere(operation, inputOf(operation), system.baseUrl, '')) {
      expect({ name: operation.name, via, status }).toEqual({ name: operation.name, via, status: 401 });
    }
  }
});

describe.each(ROLES)('a key of a user with the role %s', (role) => {
  test.each(named)('may call %s only with %j', async (_name, permissions, operation) => {
    const missing = permissions.filter((permission) => !ROLE_PERMISSIONS[role].includes(permission));
    const outcomes = await sendEverywhere(operation, inputOf(operation), system.baseUrl, keyOfRole.get(role) ?? '');
    for (const { via, code, text } of outcomes) {
      const denied = missing.length > 0 || (operation.roles !== undefined && !operation.roles.includes(role));
      expect({ via, denied: code === 'PERMISSION_DENIED', text }).toMatchObject({ via, denied });
      for (const permission of missing) expect(text).toContain(permission);
    }
  });
});

/** A key of the owner that holds this and nothing else. */
const keys = new Map<string, Promise<string>>();
function keyWith(permissions: readonly Permission[]): Promise<string> {
  const name = permissions.join(' ');
  const made =
    keys.get(name) ??
    organization
      .call<{ key: string }>('POST', '/api/api-keys', { name: 'Narrow', permissions })
      .then(({ data }) => data.key);
  keys.set(name, made);
  return made;
}

/** Every role holds more than the one permission that this takes, so a key with nothing else can grant none. By the field that names what is given. */
const NEEDS_WHAT_IT_GIVES = new Map([
  ['users.create', 'role'],
  ['roles.create', 'permissions'],
]);

describe('a key that holds exactly what the operation declares', () => {
  test.each(named)('may call %s with %j', async (name, permissions, operation) => {
    const key = await keyWith(permissions);
    for (const { via, code, text } of await sendEverywhere(operation, inputOf(operation), system.baseUrl, key)) {
      const given = NEEDS_WHAT_IT_GIVES.get(name);
      if (given) expect(text).toContain(`"path":"${given}"`);
      else expect({ via, denied: code === 'PERMISSION_DENIED', text }).toMatchObject({ via, denied: false });
    }
  });
});

describe('a key that holds all but one of what the operation declares', () => {
  test.each(
    named.flatMap(([name, permissions, operation]) =>
      permissions.map((missing) => [name, missing, permissions, operation] as const),
    ),
  )(
    'may not call %s without %s, is told so, and is not shown its tool',
    async (_name, missing, permissions, operation) => {
      const key = await keyWith(PERMISSIONS.filter((permission) => permission !== missing));
      for (const { via, code, text } of await sendEverywhere(operation, inputOf(operation), system.baseUrl, key)) {
        expect({ via, code }).toEqual({ via, code: 'PERMISSION_DENIED' });
        expect(text).toContain(missing);
        for (const held of permissions) if (held !== missing) expect(text).not.toContain(held);
      }
      const tools = await toolsOf(key);
      if (operation.mcp) expect(tools).not.toContain(operation.mcp.tool);
      // And the list is not empty for some other reason.
      expect(tools.length).toBeGreaterThan(0);
    },
  );
});

async function toolsOf(key: string): Promise<string[]> {
  const response = await listTools(system.baseUrl, key);
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

test('a key may do no more than it was granted, whatever its user may do', async () => {
  const key = await keyWith(['work-items:read']);
  for (const { operation, permissions } of guarded) {
    const denied = permissions.some((permission) => permission !== 'work-items:read');
    for (const { code, text } of await sendEverywhere(operation, inputOf(operation), system.baseUrl, key)) {
      const seen = { name: operation.name, text };
      expect({ ...seen, denied: code === 'PERMISSION_DENIED' }).toEqual({ ...seen, denied });
    }
  }
});
