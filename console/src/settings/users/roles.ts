import type { RoleRecord } from '@worktrack/contracts/keys/records';
import type { listRoles } from '@worktrack/contracts/keys/roles';
import { ROLE_PERMISSIONS, ROLES, type Role } from '@worktrack/contracts/permissions';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { may } from '../../session.ts';
import { words } from './messages.ts';

const BUILT_IN: readonly RoleRecord[] = ROLES.map((role) => ({
  ...{ id: role, name: role, permissions: [...ROLE_PERMISSIONS[role]], builtIn: true },
}));

/** The built-in ones, and those of the organization once they are loaded. */
export function useRoles(): readonly RoleRecord[] {
  const { data } = useQuery({
    key: ['roles'],
    load: (signal) => call<typeof listRoles>('GET /api/roles', {}, { signal }),
  });
  return data?.roles ?? BUILT_IN;
}

/** The roles that one may give and change: nobody can grant, or touch, more than they hold. */
export function grantable(roles: readonly RoleRecord[]): readonly RoleRecord[] {
  return roles.filter(({ permissions }) => permissions.every(may));
}

/** @param id a built-in role has a name in the reader's language, a custom one that which it was given */
export function nameOfRole(roles: readonly RoleRecord[], id: string): string {
  return isBuiltIn(id) ? words[id] : (roles.find((role) => role.id === id)?.name ?? id);
}

export function isBuiltIn(id: string): id is Role {
  return ROLES.includes(id as Role);
}

/** To projects: owners and admins cannot be. */
export const isLimitable = (role: string): boolean => role !== 'owner' && role !== 'admin';
