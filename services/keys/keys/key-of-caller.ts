import type { Caller } from '@worktrack/contracts/caller';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { sessionById } from '../sessions/sessions.repository.ts';
import { tokenById } from '../tokens/tokens.repository.ts';
import { ruleById } from '../trust-rules/trust-rules.repository.ts';
import type { KeyDocument } from './keys.model.ts';
import { keyById } from './keys.repository.ts';

type Maker = TransactionalScope & { readonly caller: Pick<Caller, 'organizationId' | 'keyId'> };

/** The key with which a call is made: its own, or the one its session was created with. @returns undefined for a token of a rule of trust */
export async function keyOfCaller(scope: Maker): Promise<KeyDocument | undefined> {
  const { keyId } = scope.caller;
  const own = await keyById(scope, keyId);
  if (own) return own;
  const session = await sessionById(scope, keyId);
  return session && keyById(scope, session.keyId);
}

/** What limits whatever a call makes: the end and the rate of its key, or of its token. */
export async function limitsOfCaller(scope: Maker): Promise<Pick<KeyDocument, '_id' | 'expiresAt' | 'rateLimit'>> {
  const key = await keyOfCaller(scope);
  if (key) return key;
  const { keyId } = scope.caller;
  const token = await tokenById(scope, keyId);
  const rule = token && (await ruleById(scope, token.ruleId));
  if (!token || !rule)
    throw new Error(`There is neither a key, a session nor a token ${keyId}, although it has made a call.`);
  return { _id: token._id, expiresAt: token.expiresAt, rateLimit: rule.rateLimit };
}
