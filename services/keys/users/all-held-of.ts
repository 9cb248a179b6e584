import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { Permission } from '@worktrack/contracts/permissions';
import { intersectionOf } from '@worktrack/contracts/rights';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { permissionsOfRole } from '../roles/roles.repository.ts';
import { userById } from './users.repository.ts';

type Context = TransactionalScope & { readonly caller: Caller; readonly fail: Fail<'PERMISSION_DENIED'> };

/** Nor what reaches further: a session belongs to its key, yet its user may be limited to projects where the key is not. */
export async function requireProjectsOf(
  context: Context,
  { userId, projects: given }: { readonly userId: string; readonly projects?: readonly string[] | null | undefined },
  does: 'revoke' | 'rotate',
): Promise<void> {
  const { caller, fail } = context;
  const { projects } = caller;
  if (!projects) return;
  const reached = intersectionOf(given, (await userById(context, userId))?.projects);
  if (reached?.every((id) => projects.includes(id))) return;
  throw fail(
    'PERMISSION_DENIED',
    `You are limited to projects, and it is not limited to these, so you cannot ${does} it.`,
    {
      details: [{ path: 'id', message: 'reaches further than the projects that you are limited to' }],
    },
  );
}

/**
 * Nobody revokes what holds more than they do: otherwise a key that may only manage keys could lock the owners out. What counts is what the key or session
 * can do with its user's role, disabled or not: a user who is enabled again should find their keys.
 */
export async function requireAllHeldOf(
  context: Context,
  { userId, permissions }: { readonly userId: string; readonly permissions: readonly Permission[] },
  does: 'revoke' | 'change' = 'revoke',
): Promise<void> {
  const { caller, fail } = context;
  const user = await userById(context, userId);
  const ofRole = user ? await permissionsOfRole(context, user.role) : [];
  const beyond = permissions.filter((each) => ofRole.includes(each) && !caller.permissions.includes(each));
  if (beyond.length === 0) return;
  const needed = beyond.join(', ');
  throw fail(
    'PERMISSION_DENIED',
    `It has ${needed}, which your key does not have, so your key cannot ${does} it. An owner's or admin's key with all permissions can.`,
    { reason: 'beyond_own', details: [{ path: 'id', message: `needs ${needed}` }] },
  );
}
