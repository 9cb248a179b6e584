import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import type { Access } from '@worktrack/contracts/operation';

export function isPermitted(caller: Pick<Caller, 'permissions'>, access: Access): boolean {
  if (access === 'authenticated') return true;
  return access !== 'internal' && caller.permissions.includes(access);
}

/** @throws OperationError PERMISSION_DENIED that names the permission */
export function requirePermission(caller: Pick<Caller, 'permissions'>, access: Access): void {
  if (isPermitted(caller, access)) return;
  throw new OperationError(
    'PERMISSION_DENIED',
    `This needs the permission ${access}, which this API key or its user does not have.`,
  );
}
