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
export function requireRole(speaker: Speaker, allowed: readonly Role[] | undefined): void {
  if (!allowed || isAmong(allowed, speaker)) return;
  throw new OperationError(
    'PERMISSION_DENIED',
    `Only users with the role ${allowed.join(' or ')} may do this.${ifLimited(speaker)}`,
  );
}

type Speaker = Pick<Identity, 'user' | 'roleLimit'>;

const isAmong = (allowed: readonly string[], { user }: Speaker) => allowed.includes(user.role);

/** Their user may have the role. */
const ifLimited = ({ roleLimit }: Speaker) =>
  roleLimit
    ? ` Your key, or what you are signed in with, was made by somebody else and acts as ${roleLimit} at most. Use one that an owner made, or that was made with one.`
    : '';

/** @throws OperationError PERMISSION_DENIED, naming the field and the roles */
export function requireRolesFor(
  speaker: Speaker,
  { rolesFor = {} }: Pick<Operation, 'rolesFor'>,
  input: unknown,
): void {
  for (const [field, allowed] of Object.entries(rolesFor)) {
    if ((input as Readonly<Record<string, unknown>>)[field] !== true || isAmong(allowed, speaker)) continue;
    throw new OperationError(
      'PERMISSION_DENIED',
      `Only users with the role ${allowed.join(' or ')} may pass ${field}.${ifLimited(speaker)}`,
    );
  }
}
