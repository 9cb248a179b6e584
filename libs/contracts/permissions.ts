/** What a key can do. Roles bundle permissions; a key's effective permissions are its own ∩ its user's. */
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
  'webhooks:read',
  'webhooks:write',
  'audit:read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const ADMINISTRATIVE: readonly Permission[] = ['projects:write', 'api-keys:write', 'users:write'];
/** Of owners: the log also tells what admins did. */
const OF_OWNERS: readonly Permission[] = ['audit:read'];
/** Not even readable by others: a webhook sends what its maker may see to wherever its URL points. */
const OF_ADMINISTRATORS: readonly Permission[] = ['webhooks:read', 'webhooks:write'];
const OF_ADMINS = PERMISSIONS.filter((permission) => !OF_OWNERS.includes(permission));
const OF_MEMBERS = OF_ADMINS.filter((permission) => !OF_ADMINISTRATORS.includes(permission));

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: OF_ADMINS,
  member: OF_MEMBERS.filter((permission) => !ADMINISTRATIVE.includes(permission)),
  viewer: OF_MEMBERS.filter((permission) => permission.endsWith(':read')),
};
