import { keysContract } from '@worktrack/contracts/keys/contract';
import { batched, write } from '@worktrack/runtime/database/handler-kinds';
import { implement } from '@worktrack/runtime/database/implement';
import { createKey } from './keys/create.ts';
import { createOrganization } from './keys/create-organization.ts';
import { activeKeysOfUser, keysOfOrganization, prefixOfKey } from './keys/keys.repository.ts';
import type { KeyMint } from './keys/mint.ts';
import { recordUses } from './keys/record-use.ts';
import { revokeKey } from './keys/revoke.ts';
import { identityOfPrefix, verifyIdentities } from './keys/verify.ts';
import { closeSession } from './sessions/close.ts';
import { revokeSession } from './sessions/revoke.ts';
import { pageOfSessions, prefixesOfSessions, prefixOfSession } from './sessions/sessions.repository.ts';
import { createLoginCode } from './sign-in/create-code.ts';
import { openSession } from './sign-in/open.ts';
import { createUser } from './users/create.ts';
import { updateUser } from './users/update.ts';
import { pageOfUsers } from './users/users.repository.ts';

/** @param invalidate removes keys and sessions, named by their prefixes, from the gateways' cache, or fails */
export function handlers(mint: KeyMint, invalidate: (prefixes: readonly string[]) => Promise<void>) {
  return implement(keysContract, {
    'organizations.create': write((input, context) => createOrganization(mint, input, context), {
      record: (answer) => ({ ...answer, apiKey: { ...answer.apiKey, key: null } }),
    }),
    'users.list': (input, context) => pageOfUsers(context, input),
    'users.create': createUser,
    'users.update': write(updateUser, {
      announce: async (_, user, context) => {
        const own = await activeKeysOfUser(context, user.id);
        const keyIds = own.map(({ _id }) => _id);
        const ofSessions = await prefixesOfSessions(context, { userId: user.id, keyIds });
        await invalidate([...own.map(({ prefix }) => prefix), ...ofSessions]);
      },
    }),
    'keys.list': (input, context) => keysOfOrganization(context, input),
    'keys.create': write((input, context) => createKey(mint, input, context), {
      record: (answer) => ({ ...answer, key: null }),
    }),
    'keys.revoke': write(revokeKey, {
      announce: async ({ id }, _, context) => {
        const found = await Promise.all([prefixOfKey(context, id), prefixesOfSessions(context, { keyIds: [id] })]);
        await invalidate(found.flat());
      },
    }),
    'sessions.list': (input, context) => pageOfSessions(context, input),
    'sessions.revoke': write(revokeSession, {
      announce: async ({ id }, _, context) => invalidate(await prefixOfSession(context, id)),
    }),
    'sessions.createCode': write((input, context) => createLoginCode(mint, input, context), {
      record: (answer) => ({ ...answer, code: null }),
    }),
    'sessions.open': (input, context) => openSession(mint, input, context),
    'sessions.close': write(closeSession, {
      announce: async ({ organizationId, id }) => invalidate(await prefixOfSession({ caller: { organizationId } }, id)),
    }),
    'identity.verify': batched((calls) => verifyIdentities(mint, calls)),
    'identity.current': identityOfPrefix,
    'keys.recordUse': batched(recordUses),
  });
}
