import type { currentIdentity, verifyIdentity as operation } from '@worktrack/contracts/keys/identity';
import type { Organization, User } from '@worktrack/contracts/keys/records';
import type { Input, Output } from '@worktrack/contracts/operation';
import { type Permission, ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import type { Call, Settled } from '@worktrack/rpc/types';
import { organizationsById } from '../organizations/organizations.repository.ts';
import { usersById } from '../users/users.repository.ts';
import type { KeyDocument } from './keys.model.ts';
import { activeKeysByPrefix, rateOf } from './keys.repository.ts';
import type { KeyMint } from './mint.ts';

type Answer = Output<typeof operation>;

/** Resolves all keys that were presented together by three reads. Every call is answered from reads that began after it came. */
export async function verifyIdentities(
  mint: KeyMint,
  calls: readonly Call<typeof operation>[],
): Promise<Settled<Answer>[]> {
  const keys = await activeKeysByPrefix([...new Set(calls.map(({ input }) => input.prefix))]);
  const found = [...keys.values()];
  const [users, organizations] = await Promise.all([
    usersById([...new Set(found.map((key) => key.userId))]),
    organizationsById([...new Set(found.map((key) => key.organizationId))]),
  ]);
  return calls.map(({ input }) => {
    const key = keys.get(input.prefix);
    if (!key || !mint.recognises(key.hash, input.digest)) return { output: { verified: null } };
    return { output: { verified: identify(key, users.get(key.userId), organizations.get(key.organizationId)) } };
  });
}

/** Without the key itself: for whoever was granted something in its name. */
export async function identityOfPrefix({
  prefix,
}: Input<typeof currentIdentity>): Promise<Output<typeof currentIdentity>> {
  const key = (await activeKeysByPrefix([prefix])).get(prefix);
  if (!key) return { identity: null };
  const [users, organizations] = await Promise.all([usersById([key.userId]), organizationsById([key.organizationId])]);
  return { identity: identify(key, users.get(key.userId), organizations.get(key.organizationId))?.identity ?? null };
}

function identify(
  key: KeyDocument,
  user: User | undefined,
  organization: Organization | undefined,
): Answer['verified'] {
  if (!user || user.disabled || !organization) return null;
  return {
    identity: {
      user: { id: user.id, name: user.name, email: user.email, role: user.role },
      organization: { id: organization.id, name: organization.name },
      permissions: effectivePermissions(key.permissions, user),
      key: { id: key._id, name: key.name, prefix: key.prefix },
    },
    expiresAt: key.expiresAt?.toISOString() ?? null,
    rateLimit: rateOf(key),
  };
}

/** A role may have lost what its user's keys were given, or got it back. */
function effectivePermissions(own: readonly Permission[], user: User): Permission[] {
  const held = ROLE_PERMISSIONS[user.role];
  return own.filter((permission) => held.includes(permission));
}
