import type { revokeGrant as operation } from '@worktrack/contracts/keys/grants';
import type { FailureOf } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { audited } from '@worktrack/runtime/database/outbox/audited';
import { endGrant, grantById } from '../grants/grants.repository.ts';
import { identityNow } from '../keys/identity-now.ts';
import { requireAllHeldOf, requireProjectsOf } from '../users/all-held-of.ts';

/** Like the revocation of a key: what is stored here is announced to the gateways' cache once it is committed. */
export const revokeGrant: WriteAlone<typeof operation> = async ({ id }, context) => {
  const { caller, fail } = context;
  const grant = await grantById(context, id);
  const isOwn = grant?.userId === caller.userId;
  if (!grant || !(isOwn || (await isUnlimitedOwner(context)))) {
    throw fail('NOT_FOUND', `You have connected no app ${id}. GET /api/grants lists them.`);
  }
  await requireAllHeldOf(context, grant);
  await requireProjectsOf(context, grant, 'revoke');
  audited(context.writes, { targets: [{ type: 'grant', id, name: grant.clientName }] });
  // The first revocation counts: a repeated one changes nothing.
  const revokedAt = grant.revokedAt ?? (await endGrant(context, grant, 'revoked'));
  return { id, revokedAt: revokedAt.toISOString() };
};

async function isUnlimitedOwner({ caller }: WriteContext<FailureOf<typeof operation>>): Promise<boolean> {
  return !caller.projects && (await identityNow(caller))?.user.role === 'owner';
}
