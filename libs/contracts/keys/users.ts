import { z } from 'zod';
import { exampleUser, ids, pagination, times } from '../examples.ts';
import { Id, Pagination, paging } from '../fields.ts';
import { operation } from '../operation.ts';
import { Email, ListedUser, Name, ProjectsInput, RoleInput, User } from './records.ts';

export const listUsers = operation({
  name: 'users.list',
  summary: 'List the users of the organization, newest first.',
  permissions: ['users:read'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({ ...paging }),
  output: z.object({ users: z.array(ListedUser), pagination: Pagination }),
  errors: [],
  example: { input: {}, output: { users: [{ ...exampleUser, invitation: null }], pagination } },
  rest: 'GET /api/users',
});

export const createUser = operation({
  name: 'users.create',
  summary: 'Add a user to the organization, with a role that has no more permissions than the calling key.',
  permissions: ['users:write'],
  ofOrganization: true,
  audit: 'user',
  effect: 'create',
  input: z.strictObject({
    email: Email,
    name: Name,
    role: RoleInput,
    /** Owners and admins cannot be limited. */
    projects: ProjectsInput.optional(),
  }),
  output: User,
  errors: ['PERMISSION_DENIED', 'CONFLICT'],
  example: {
    input: { email: 'grace@example.com', name: 'Grace', role: 'member' },
    output: { ...exampleUser, email: 'grace@example.com', name: 'Grace', role: 'member' },
  },
  rest: 'POST /api/users',
});

export const updateUser = operation({
  name: 'users.update',
  summary:
    "Rename a user, change the role, limit the user to projects, or disable the user. Neither the role nor the user may have more permissions than the calling key. Applies to the user's keys at once.",
  permissions: ['users:write'],
  ofOrganization: true,
  audit: 'user',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    name: Name.optional(),
    role: RoleInput.optional(),
    /** Owners and admins cannot be limited. */
    projects: ProjectsInput.optional(),
    disabled: z.boolean().optional(),
  }),
  output: User,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: { id: ids.user, role: 'admin' },
    output: { ...exampleUser, role: 'admin', updatedAt: times.updatedAt },
  },
  rest: 'PATCH /api/users/:id',
});

/** Of all who are erased. */
export const ERASED_NAME = 'Erased user';

export const eraseUser = operation({
  name: 'users.erase',
  summary:
    "Erase a disabled user's name and address everywhere, the audit log included, where their hashes stay. The user's id stays, too, so that history remains readable.",
  // Names in the audit log are erased by nobody who may not read it, also with an owner's key that holds less.
  permissions: ['users:write', 'audit:read'],
  roles: ['owner'],
  ofOrganization: true,
  audit: 'user',
  effect: 'update',
  input: z.strictObject({ id: Id }),
  output: User,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: { id: ids.user },
    output: {
      ...exampleUser,
      name: ERASED_NAME,
      email: `${ids.user}@erased.invalid`,
      role: 'member',
      disabled: true,
    },
  },
  rest: 'POST /api/users/:id/erase',
});
