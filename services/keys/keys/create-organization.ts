import type { createOrganization as operation } from '@worktrack/contracts/keys/organizations';
import { DEFAULT_KEY_RATE } from '@worktrack/contracts/keys/records';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { enterOf } from '@worktrack/runtime/database/outbox/audited';
import { insertOrganization } from '../organizations/organizations.repository.ts';
import { insertUser } from '../users/users.repository.ts';
import { insertKey } from './keys.repository.ts';
import type { KeyMint } from './mint.ts';

/** An organization with its owner and the first key, which holds all permissions: together or not at all. */
export async function createOrganization(
  mint: KeyMint,
  input: Input<typeof operation>,
  { caller, tx, writes, requestId }: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const organization = await insertOrganization({ tx }, input.name);
  const scope = { caller: { ...caller, organizationId: organization.id }, tx, writes, isUnattended: true };
  const name = input.ownerName ?? (input.ownerEmail.split('@', 1)[0] as string);
  const user = await insertUser(scope, { email: input.ownerEmail, name, role: 'owner' });
  if (!user) throw new Error(`The new organization ${organization.id} has a user already.`);
  const { key, ...secret } = mint.make();
  const apiKey = await insertKey(scope, {
    ...secret,
    name: input.keyName,
    permissions: PERMISSIONS,
    projects: null,
    rateLimit: input.keyRateLimit ?? DEFAULT_KEY_RATE,
    userId: user.id,
    createdBy: user.id,
    expiresAt: null,
  });
  enterOf(writes, organization.id, {
    action: 'organizations.create',
    actor: { type: 'system', id: null, name: null, userId: null },
    targets: [
      { type: 'organization', id: organization.id, name: organization.name },
      { type: 'user', id: user.id, name: user.name },
      { type: 'key', id: apiKey.id, name: apiKey.name },
    ],
    context: { address: null, userAgent: null, requestId },
  });
  return { organization, user, apiKey: { ...apiKey, key } };
}
