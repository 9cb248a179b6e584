import { z } from 'zod';
import { ids } from '../examples.ts';
import { operation } from '../operation.ts';
import { Name, PermissionsInput, RoleRecord } from './records.ts';

export const MAX_CUSTOM_ROLES = 50;
/** An id, or the name of a built-in role, which is refused by name. */
const MAX_ROLE_ID = 36;

const exampleRole: RoleRecord = {
  id: ids.role,
  name: 'Triage',
  permissions: ['work-items:read', 'feedback:read', 'feedback:write'],
  builtIn: false,
};

export const listRoles = operation({
  name: 'roles.list',
  summary:
    'List the roles that users can have: the built-in ones, then those of the organization, in the order of their names.',
  permissions: ['users:read'],
  effect: 'read',
  ofOrganization: true,
  input: z.strictObject({}),
  output: z.object({ roles: z.array(RoleRecord) }),
  errors: [],
  example: { input: {}, output: { roles: [exampleRole] } },
  rest: 'GET /api/roles',
});

export const createRole = operation({
  name: 'roles.create',
  summary: `Create a role, at most ${MAX_CUSTOM_ROLES} in an organization, with permissions that the calling key has.`,
  permissions: ['users:write'],
  audit: 'role',
  effect: 'create',
  ofOrganization: true,
  input: z.strictObject({ name: Name, permissions: PermissionsInput }),
  output: RoleRecord,
  errors: ['PERMISSION_DENIED', 'CONFLICT'],
  example: { input: { name: exampleRole.name, permissions: exampleRole.permissions }, output: exampleRole },
  rest: 'POST /api/roles',
});

export const updateRole = operation({
  name: 'roles.update',
  summary:
    "Rename a custom role, or replace its permissions. Neither the old nor the new ones may be more than the calling key has. Applies to its users' keys and sessions at once.",
  permissions: ['users:write'],
  audit: 'role',
  effect: 'update',
  ofOrganization: true,
  input: z.strictObject({
    id: z.string().min(1).max(MAX_ROLE_ID),
    name: Name.optional(),
    permissions: PermissionsInput.optional(),
  }),
  output: RoleRecord,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.role, name: 'Support' }, output: { ...exampleRole, name: 'Support' } },
  rest: 'PATCH /api/roles/:id',
});

export const deleteRole = operation({
  name: 'roles.delete',
  summary: 'Delete a custom role that no user has.',
  permissions: ['users:write'],
  audit: 'role',
  effect: 'delete',
  ofOrganization: true,
  input: z.strictObject({ id: z.string().min(1).max(MAX_ROLE_ID) }),
  output: z.object({ id: z.string() }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.role }, output: { id: ids.role } },
  rest: 'DELETE /api/roles/:id',
});
