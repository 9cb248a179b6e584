import { keysContract } from '@worktrack/contracts/keys/contract';
import { announced, batched, implement, recorded } from '@worktrack/runtime/database/implement';
import { createKey } from './keys/create.ts';
import { keysOfOrganization, noteUses, prefixesOfUser, prefixOfKey } from './keys/keys.repository.ts';
import type { KeyMint } from './keys/mint.ts';
import { revokeKey } from './keys/revoke.ts';
import { identityOfPrefix, verifyIdentities } from './keys/verify.ts';
import { createOrganization } from './organizations/create.ts';
import { createUser } from './users/create.ts';
import { updateUser } from './users/update.ts';
import { pageOfUsers } from './users/users.repository.ts';

/** @param invalidate takes keys, named by their prefixes, out of the gateways' cache, or fails */
export function handlers(mint: KeyMint, invalidate: (prefixes: readonly string[]) => Promise<void>) {
  return implement(keysContract, {
    'organizations.create': recorded(
      (input, context) => createOrganization(mint, input, context),
      (answer) => ({ ...answer, apiKey: { ...answer.apiKey, key: null } }),
    ),
    'users.list': (input, context) => pageOfUsers(context, input),
    'users.create': createUser,
    'users.update': announced(updateUser, async (_, user, context) =>
      invalidate(await prefixesOfUser(context, user.id)),
    ),
    'keys.list': (input, context) => keysOfOrganization(context, input),
    'keys.create': recorded(
      (input, context) => createKey(mint, input, context),
      (answer) => ({ ...answer, key: null }),
    ),
    'keys.revoke': announced(revokeKey, async ({ id }, _, context) => invalidate(await prefixOfKey(context, id))),
    'identity.verify': batched((calls) => verifyIdentities(mint, calls)),
    'identity.current': identityOfPrefix,
    'keys.recordUse': batched(async (calls) => {
      await noteUses(calls.flatMap(({ input }) => input.uses));
      return calls.map(() => ({ output: {} }));
    }),
  });
}
