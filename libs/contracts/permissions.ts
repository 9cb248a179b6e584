/** What a key may do. Roles bundle permissions; a key's effective permissions are its own ∩ its user's. */
export const PERMISSIONS = [
  'projects:read',
  'projects:write',
  'work-items:read',
  'work-items:write',
  'feedback:read',
  'feedback:write',
  'api-keys:read',
  'api-keys:write',
  'users:read',
  'users:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const ADMINISTRATIVE: readonly Permission[] = ['projects:write', 'api-keys:write', 'users:write'];

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  member: PERMISSIONS.filter((permission) => !ADMINISTRATIVE.includes(permission)),
  viewer: PERMISSIONS.filter((permission) => permission.endsWith(':read')),
};
