import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import type { Access } from '@worktrack/contracts/operation';
import type { Role } from '@worktrack/contracts/permissions';

export function isPermitted(caller: Pick<Caller, 'permissions'>, access: Access): boolean {
  return access !== 'internal' && access.every((permission) => caller.permissions.includes(permission));
}

/** @throws OperationError PERMISSION_DENIED, naming every missing permission */
export function requirePermissions(caller: Pick<Caller, 'permissions'>, access: Access): void {
  if (access === 'internal') throw new Error('An internal operation is called by services only.');
  const missing = access.filter((permission) => !caller.permissions.includes(permission));
  if (missing.length === 0) return;
  throw new OperationError(
    'PERMISSION_DENIED',
    `This needs ${missing.join(' and ')}, which this API key or its user does not have.`,
  );
}

/** @throws OperationError PERMISSION_DENIED, naming the roles */
export function requireRole(role: Role, allowed: readonly Role[] | undefined): void {
  if (!allowed || allowed.includes(role)) return;
  throw new OperationError('PERMISSION_DENIED', `Only users with the role ${allowed.join(' or ')} may do this.`);
}
