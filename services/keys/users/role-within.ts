import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { User } from '@worktrack/contracts/keys/records';
import { ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { roleById } from '../roles/roles.repository.ts';

/**
 * Nobody gives more than they hold, and nobody changes, or acts as, somebody who holds more. Otherwise a key that may only change users could make its own user
 * an owner, or lock the owners out.
 * @param path the field that the role comes from; `key`: it is that of the key's user
 */
export async function requireRoleWithin(
  scope: TransactionalScope & {
    readonly caller: Caller;
    readonly fail: Fail<'PERMISSION_DENIED' | 'VALIDATION_FAILED'>;
  },
  roleId: string,
  path: 'id' | 'role' | 'userId' | 'key',
): Promise<void> {
  const { caller, fail } = scope;
  const found = await roleById(scope, roleId);
  if (!found && path === 'role') {
    const message =
      'must be owner, admin, member, viewer or the id of a role of your organization. GET /api/roles lists them';
    throw fail('VALIDATION_FAILED', `role ${message}.`, { details: [{ path, message }] });
  }
  const role = found?.name ?? roleId;
  // Admins rename, demote and disable owners, though they hold less. They make none, and act as none.
  const needed = path === 'id' && roleId === 'owner' ? ROLE_PERMISSIONS.admin : (found?.permissions ?? []);
  const beyond = needed.filter((permission) => !caller.permissions.includes(permission));
  if (beyond.length === 0) return;
  const missing = `${beyond.join(', ')}, which your key does not have`;
  const message = {
    role: `The role ${role} has ${missing}, so your key cannot give it.`,
    id: `This user is ${role}, a role that has ${missing}, so your key cannot change the user.`,
    userId: `This user is ${role}, a role that has ${missing}, so your key cannot act as the user.`,
    key: `It acts as a user who is ${role}, a role that has ${missing}, so your key cannot rotate it.`,
  }[path];
  throw fail('PERMISSION_DENIED', message, {
    reason: 'beyond_own',
    details: [{ path: path === 'key' ? 'id' : path, message: `needs ${beyond.join(', ')}` }],
  });
}

/**
 * Some operations go by the role. A key of others has no more permissions than its maker, but it would have theirs.
 * @param path as above
 */
export async function requireRoleOfOther(
  scope: Parameters<typeof requireRoleWithin>[0],
  { role }: Pick<User, 'role'>,
  path: 'userId' | 'key',
): Promise<void> {
  if (role === 'owner' || role === 'admin') await requireRoleWithin(scope, role, path);
}

/** @throws CONFLICT */
export function requireLimitable(
  { email, role, projects }: Pick<User, 'email' | 'role'> & Partial<Pick<User, 'projects'>>,
  { fail }: { readonly fail: Fail<'CONFLICT'> },
): void {
  if (!projects || (role !== 'owner' && role !== 'admin')) return;
  throw fail(
    'CONFLICT',
    `${email} is ${role}, and owners and admins cannot be limited to projects. Pass projects: null, or another role.`,
  );
}
