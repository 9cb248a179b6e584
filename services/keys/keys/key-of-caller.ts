import type { Caller } from '@worktrack/contracts/caller';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { sessionById } from '../sessions/sessions.repository.ts';
import type { KeyDocument } from './keys.model.ts';
import { keyById } from './keys.repository.ts';

/** The key with which a call is made: its own, or the one its session was created with. */
export async function keyOfCaller(
  scope: TransactionalScope & { readonly caller: Pick<Caller, 'organizationId' | 'keyId'> },
): Promise<KeyDocument> {
  const { keyId } = scope.caller;
  const key =
    (await keyById(scope, keyId)) ?? (await keyById(scope, (await sessionById(scope, keyId))?.keyId ?? keyId));
  if (!key) throw new Error(`There is neither a key nor a session ${keyId}, although it has made a call.`);
  return key;
}
