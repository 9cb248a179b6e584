import { ROLE_PERMISSIONS, ROLES, type Role } from '@worktrack/contracts/permissions';
import { may } from '../../session.ts';

/** The roles that one may give and change: nobody can grant, or touch, more than they hold. */
export function grantableRoles(): readonly Role[] {
  return ROLES.filter((role) => ROLE_PERMISSIONS[role].every(may));
}
