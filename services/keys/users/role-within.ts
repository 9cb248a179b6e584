import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import { ROLE_PERMISSIONS, type Role } from '@worktrack/contracts/permissions';

/**
 * Nobody gives more than they hold, and nobody changes, or acts as, somebody who holds more: otherwise a key that may only change users could make its own user
 * an owner, or lock the owners out.
 * @param path the field that the role comes from
 */
export function requireRoleWithin(
  { caller, fail }: { readonly caller: Caller; readonly fail: Fail<'PERMISSION_DENIED'> },
  role: Role,
  path: 'id' | 'role' | 'userId',
): void {
  const beyond = ROLE_PERMISSIONS[role].filter((permission) => !caller.permissions.includes(permission));
  if (beyond.length === 0) return;
  const held = `${beyond.join(', ')}, which your key does not have`;
  const message = {
    role: `The role ${role} has ${held}, so your key cannot give it.`,
    id: `This user is ${role}, a role that has ${held}, so your key cannot change the user.`,
    userId: `This user is ${role}, a role that has ${held}, so your key cannot sign the user in.`,
  }[path];
  throw fail('PERMISSION_DENIED', message, {
    details: [{ path, message: `needs ${beyond.join(', ')}` }],
  });
}
