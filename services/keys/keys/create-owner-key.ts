import type { createOwnerKey as operation } from '@worktrack/contracts/keys/organizations';
import { DEFAULT_KEY_RATE } from '@worktrack/contracts/keys/records';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { organizationsById } from '../organizations/organizations.repository.ts';
import { activeOwners } from '../users/users.repository.ts';
import { giveOwnerKey } from './by-operator.ts';
import type { KeyMint } from './mint.ts';

const MAX_NAMED = 10;

/** With all permissions, and beyond the most that an organization may have: otherwise one that is at its limit could not be helped. */
export async function createOwnerKey(
  mint: KeyMint,
  { organizationId, ownerEmail }: Input<typeof operation>,
  { caller, tx, writes, requestId, fail }: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const organization = (await organizationsById([organizationId])).get(organizationId);
  if (!organization) throw fail('NOT_FOUND', `There is no organization ${organizationId}.`);
  const scope = { caller: { ...caller, organizationId }, tx, writes, requestId, isUnattended: true };
  const owners = await activeOwners(scope);
  const named = owners.filter(({ email }) => ownerEmail === undefined || email === ownerEmail);
  const [user] = named;
  if (!user || named.length > 1) {
    const emails = owners.slice(0, MAX_NAMED).map(({ email }) => email);
    throw user
      ? fail('CONFLICT', `${organization.name} has several owners. Name one with ownerEmail: ${emails.join(', ')}.`)
      : fail(
          'NOT_FOUND',
          `No active owner of ${organization.name} has this address. Its owners: ${emails.join(', ')}.`,
        );
  }
  const apiKey = await giveOwnerKey(scope, mint, user, {
    action: 'organizations.createOwnerKey',
    name: 'From the operator',
    rateLimit: DEFAULT_KEY_RATE,
    targets: [],
  });
  return { organization, user, apiKey };
}
