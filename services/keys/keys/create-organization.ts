import type { createOrganization as operation } from '@worktrack/contracts/keys/organizations';
import { DEFAULT_KEY_RATE } from '@worktrack/contracts/keys/records';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { insertOrganization } from '../organizations/organizations.repository.ts';
import { insertUser } from '../users/users.repository.ts';
import { giveOwnerKey } from './by-operator.ts';
import type { KeyMint } from './mint.ts';

/** An organization with its owner and the first key, which holds all permissions: together or not at all. */
export async function createOrganization(
  mint: KeyMint,
  input: Input<typeof operation>,
  { caller, tx, writes, requestId }: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const organization = await insertOrganization({ tx }, input.name);
  const scope = { caller: { ...caller, organizationId: organization.id }, tx, writes, requestId, isUnattended: true };
  const name = input.ownerName ?? (input.ownerEmail.split('@', 1)[0] as string);
  const user = await insertUser(scope, { email: input.ownerEmail, name, role: 'owner' });
  if (!user) throw new Error(`The new organization ${organization.id} has a user already.`);
  const apiKey = await giveOwnerKey(scope, mint, user, {
    action: 'organizations.create',
    name: input.keyName,
    rateLimit: input.keyRateLimit ?? DEFAULT_KEY_RATE,
    targets: [{ type: 'organization', id: organization.id, name: organization.name }],
  });
  return { organization, user, apiKey };
}
