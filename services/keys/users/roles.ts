import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { RoleRecord } from '@worktrack/contracts/keys/records';
import type {
  createRole as createOp,
  deleteRole as deleteOp,
  updateRole as updateOp,
} from '@worktrack/contracts/keys/roles';
import { MAX_CUSTOM_ROLES } from '@worktrack/contracts/keys/roles';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { auditChanges, audited } from '@worktrack/runtime/database/outbox/audited';
import { takeAccessTurn } from '../access-turn.ts';
import {
  changeRole,
  countCustomRoles,
  insertRole,
  isBuiltIn,
  removeRole,
  roleById,
} from '../roles/roles.repository.ts';
import { takeRoleFromErased, tellOfUsers, usersOfRole } from './users.repository.ts';

type Context = WriteContext<FailureOf<typeof updateOp>>;

export async function createRole(
  { name, permissions }: Input<typeof createOp>,
  context: WriteContext<FailureOf<typeof createOp>>,
): Promise<RoleRecord> {
  requireHeld(permissions, context);
  if ((await countCustomRoles(context)) >= MAX_CUSTOM_ROLES) {
    throw context.fail(
      'CONFLICT',
      `The organization has ${MAX_CUSTOM_ROLES} roles of its own, which is the limit. Delete one that nobody has.`,
      { reason: 'limit' },
    );
  }
  await takeAccessTurn(context);
  const role = isBuiltIn(name.toLowerCase())
    ? undefined
    : await insertRole(context, { name, permissions: inOrder(permissions) });
  if (!role) throw taken(name, context);
  audited(context.writes, { changes: auditChanges({}, role, ['name', 'permissions']) });
  return role;
}

/** Its other half, evicting its users' keys and sessions from the gateways' cache, follows once this is committed. */
export async function updateRole(
  { id, name, permissions }: Input<typeof updateOp>,
  context: Context,
): Promise<RoleRecord> {
  const role = await requireCustom(id, context);
  if (permissions) requireHeld(permissions, context);
  if (name !== undefined && isBuiltIn(name.toLowerCase())) throw taken(name, context);
  const wanted = { name: name ?? role.name, permissions: permissions ? inOrder(permissions) : role.permissions };
  const isRenamed = wanted.name !== role.name;
  // A form sends both. What its users may do is told of each of them.
  const isOther = !isDeepStrictEqual(wanted.permissions, role.permissions);
  if (!isRenamed && !isOther) return role;
  await takeAccessTurn(context);
  const changed = await changeRole(context, id, wanted);
  if (!changed) throw taken(wanted.name, context);
  audited(context.writes, { changes: auditChanges(role, changed, ['name', 'permissions']) });
  if (isOther) await tellOfUsers(context, changed);
  return changed;
}

export const deleteRole: WriteAlone<typeof deleteOp> = async ({ id }, context) => {
  const role = await requireCustom(id, context);
  const { name } = role;
  const { length: users } = await usersOfRole(context, id);
  if (users > 0) {
    const have = users === 1 ? '1 user has' : `${users} users have`;
    throw context.fail('CONFLICT', `${have} the role ${name}. Give them another one first: PATCH /api/users/:id.`);
  }
  await takeAccessTurn(context);
  await takeRoleFromErased(context, id);
  await removeRole(context, id);
  audited(context.writes, {
    targets: [{ type: 'role', id, name }],
    changes: auditChanges(role, {}, ['name', 'permissions']),
  });
  return { id };
};

async function requireCustom(id: string, context: Context): Promise<RoleRecord> {
  const role = await roleById(context, id);
  if (!role) throw context.fail('NOT_FOUND', `There is no role ${id} in your organization. GET /api/roles lists them.`);
  if (role.builtIn) {
    throw context.fail('CONFLICT', `The role ${id} is built in and cannot be changed. Create one: POST /api/roles.`);
  }
  requireHeld(role.permissions, context, 'id');
  return role;
}

/** Nobody makes a role that can do more than they can, and nobody changes one: its users would be locked out by somebody who may do less. */
function requireHeld(
  permissions: readonly Permission[],
  { caller, fail }: { readonly caller: Caller; readonly fail: Fail<'PERMISSION_DENIED'> },
  path: 'permissions' | 'id' = 'permissions',
): void {
  const beyond = permissions.filter((permission) => !caller.permissions.includes(permission));
  if (beyond.length === 0) return;
  const missing = [...new Set(beyond)].join(', ');
  const message =
    path === 'id'
      ? `The role has ${missing}, which your key does not have, so your key cannot change it.`
      : `Your key does not have ${missing}, so it cannot give it to a role.`;
  throw fail('PERMISSION_DENIED', message, { reason: 'beyond_own', details: [{ path, message: `needs ${missing}` }] });
}

const inOrder = (permissions: readonly Permission[]) => PERMISSIONS.filter((each) => permissions.includes(each));

function taken(name: string, { fail }: { readonly fail: Fail<'CONFLICT'> }) {
  return fail('CONFLICT', `There is a role ${name} already. Choose another name.`, { reason: 'taken' });
}
