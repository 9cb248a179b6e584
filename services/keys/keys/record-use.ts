import type { recordUse as operation } from '@worktrack/contracts/keys/identity';
import type { Output } from '@worktrack/contracts/operation';
import type { Answered, Call } from '@worktrack/rpc/types';
import { noteGrantUses } from '../grants/grants.repository.ts';
import { noteSessionUses } from '../sessions/sessions.repository.ts';
import { noteKeyUses, replacedKeys } from './keys.repository.ts';
import { tellOfLateUse } from './late-use.ts';

/** The uses of keys, sessions and grants that were reported together. */
export async function recordUses(
  calls: readonly Call<typeof operation>[],
): Promise<Answered<Output<typeof operation>>[]> {
  const uses = calls.flatMap(({ input }) => input.uses);
  const ofSessions = uses.filter(({ isSession }) => isSession);
  const ofGrants = uses.filter(({ isGrant }) => isGrant);
  const ofKeys = uses.filter(({ isSession, isGrant }) => !isSession && !isGrant);
  await Promise.all([
    ofKeys.length > 0 && noteKeyUses(ofKeys),
    ofSessions.length > 0 && noteSessionUses(ofSessions),
    ofGrants.length > 0 && noteGrantUses(ofGrants),
  ]);
  const lastUses = new Map(ofKeys.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map(({ keyId, at }) => [keyId, at]));
  for (const key of await replacedKeys({ _id: [...lastUses.keys()] })) {
    const [call] = calls;
    if (call) await tellOfLateUse(key, new Date(lastUses.get(key._id) ?? 0), call.context.log);
  }
  return calls.map(() => ({ output: {} }));
}
