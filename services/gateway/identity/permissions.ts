import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Access, Operation } from '@worktrack/contracts/operation';
import type { Role } from '@worktrack/contracts/permissions';
import { holdsProjects } from '@worktrack/contracts/rights';

export function isPermitted(caller: Pick<Caller, 'permissions'>, access: Access): boolean {
  return access !== 'internal' && access.every((permission) => caller.permissions.includes(permission));
}

/**
 * @param identity whose words are used, if it is known
 * @throws OperationError PERMISSION_DENIED, naming every missing permission
 */
export function requirePermissions(
  caller: Pick<Caller, 'permissions'>,
  access: Access,
  identity?: Pick<Identity, 'grant'>,
): void {
  if (access === 'internal') throw new Error('An internal operation is called by services only.');
  const missing = access.filter((permission) => !caller.permissions.includes(permission));
  if (missing.length === 0) return;
  const { grant } = identity ?? {};
  const isForUser = grant && missing.every((permission) => grant.grantable.includes(permission));
  throw new OperationError(
    'PERMISSION_DENIED',
    `This needs ${missing.join(' and ')}, which ${
      isForUser
        ? 'you have not allowed this app. Connect it again and allow it'
        : `this ${grant ? 'app' : 'API key'} or its user does not have`
    }.`,
  );
}

/** @throws OperationError PERMISSION_DENIED if the caller is limited to projects, and the operation is about what belongs to none */
export function requireUnlimited(
  { projects }: Pick<Caller, 'projects'>,
  { ofOrganization }: Pick<Operation, 'ofOrganization'>,
): void {
  if (!projects || !ofOrganization) return;
  throw new OperationError(
    'PERMISSION_DENIED',
    'This belongs to no project, and your key or its user is limited to projects.',
    {
      details: [{ path: 'projects', message: 'your key is limited to projects' }],
    },
  );
}

/** @throws OperationError PERMISSION_DENIED if a project that existed for the caller when its call began no longer does */
export function requireSameProjects(now: Pick<Identity, 'projects'>, before: Pick<Caller, 'projects'>): void {
  if (holdsProjects(now, before)) return;
  throw new OperationError(
    'PERMISSION_DENIED',
    'While this call waited, the projects of your key or its user were limited. Repeat it.',
  );
}

/** @throws OperationError PERMISSION_DENIED, naming the roles */
export function requireRole(role: string, allowed: readonly Role[] | undefined): void {
  if (!allowed || (allowed as readonly string[]).includes(role)) return;
  throw new OperationError('PERMISSION_DENIED', `Only users with the role ${allowed.join(' or ')} may do this.`);
}

/** @throws OperationError PERMISSION_DENIED, naming the field and the roles */
export function requireRolesFor(role: string, { rolesFor = {} }: Pick<Operation, 'rolesFor'>, input: unknown): void {
  for (const [field, allowed] of Object.entries(rolesFor)) {
    if ((input as Readonly<Record<string, unknown>>)[field] !== true || (allowed as readonly string[]).includes(role))
      continue;
    throw new OperationError(
      'PERMISSION_DENIED',
      `Only users with the role ${allowed.join(' or ')} may pass ${field}.`,
    );
  }
}
