import type { recordUse as operation } from '@worktrack/contracts/keys/identity';
import type { Output } from '@worktrack/contracts/operation';
import type { Answered, Call } from '@worktrack/rpc/types';
import { GrantModel } from '../grants/grants.model.ts';
import { SessionModel } from '../sessions/sessions.model.ts';
import { KeyModel } from './keys.model.ts';
import { noteUses, replacedKeys } from './keys.repository.ts';
import { tellOfLateUse } from './late-use.ts';

/** The uses of keys, sessions and grants that were reported together. */
export async function recordUses(
  calls: readonly Call<typeof operation>[],
): Promise<Answered<Output<typeof operation>>[]> {
  const uses = calls.flatMap(({ input }) => input.uses);
  const ofSessions = uses.filter(({ isSession }) => isSession);
  const ofGrants = uses.filter(({ isGrant }) => isGrant);
  const ofKeys = uses.filter(({ isSession, isGrant }) => !isSession && !isGrant);
  await Promise.all([noteUses(KeyModel, ofKeys), noteUses(SessionModel, ofSessions), noteUses(GrantModel, ofGrants)]);
  const lastUses = new Map(ofKeys.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map(({ keyId, at }) => [keyId, at]));
  for (const key of await replacedKeys({ _id: [...lastUses.keys()] })) {
    const [call] = calls;
    if (call) await tellOfLateUse(key, new Date(lastUses.get(key._id) ?? 0), call.context.log);
  }
  return calls.map(() => ({ output: {} }));
}
