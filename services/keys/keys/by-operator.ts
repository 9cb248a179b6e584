import type { CreatedApiKey, KeyRate, User } from '@worktrack/contracts/keys/records';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { enterOf } from '@worktrack/runtime/database/outbox/audited';
import type { TellingScope } from '../telling-scope.ts';
import { insertKey } from './keys.repository.ts';
import type { KeyMint } from './mint.ts';

type Targets = Parameters<typeof enterOf>[2]['targets'];

/** What an operator of the service does for an organization: in its audit log, by nobody in it. */
export async function giveOwnerKey(
  scope: TellingScope & { readonly requestId: string },
  mint: KeyMint,
  { id: userId, name: userName }: Pick<User, 'id' | 'name'>,
  given: { readonly action: string; readonly name: string; readonly rateLimit: KeyRate; readonly targets: Targets },
): Promise<CreatedApiKey & { readonly key: string }> {
  const { key, ...secret } = mint.make();
  const apiKey = await insertKey(scope, {
    ...secret,
    name: given.name,
    permissions: PERMISSIONS,
    projects: null,
    rateLimit: given.rateLimit,
    userId,
    createdBy: userId,
    expiresAt: null,
  });
  enterOf(scope.writes, scope.caller.organizationId, {
    action: given.action,
    actor: { type: 'system', id: null, name: null, userId: null },
    targets: [
      ...given.targets,
      { type: 'user', id: userId, name: userName },
      { type: 'key', id: apiKey.id, name: apiKey.name },
    ],
    context: { address: null, userAgent: null, requestId: scope.requestId },
  });
  return { ...apiKey, key };
}
