import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import type { Scope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { type TokenDocument, TokenModel } from './tokens.model.ts';

/**
 * Stores a token, if its JWT may still be exchanged: each exchange takes a number of its own, and each number is taken once.
 * @param jwt names the JWT among those of its rule
 * @param uses for how many tokens it may be exchanged
 * @returns the token as stored, by an earlier delivery of the same call perhaps; undefined if there is no number left
 */
export async function insertToken(
  token: Omit<TokenDocument, '_id' | 'claim'>,
  jwt: string,
  uses: number,
): Promise<TokenDocument | undefined> {
  const claims = `${token.ruleId}/${jwt}/`;
  let use = uses === 1 ? 0 : await countClaims(claims);
  do {
    const document: TokenDocument = { ...token, _id: uuidv7(), claim: `${claims}${use}` };
    if (use < uses && (await isInserted(document))) return document;
    const [stored] = await tokensByPrefix([token.prefix]);
    if (stored) return stored.claim.startsWith(claims) ? stored : undefined;
  } while (++use < uses);
  return undefined;
}

/** Unless its number, or its prefix, is taken. */
async function isInserted(document: TokenDocument): Promise<boolean> {
  try {
    await TokenModel.insertMany([document], { lean: true });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return false;
  }
}

/** Without an organization: a claim begins with its rule. */
async function countClaims(begin: string): Promise<number> {
  // What follows the last slash is a number, and the sign after a slash is 0.
  const end = `${begin.slice(0, -1)}0`;
  return TokenModel.countDocuments({ claim: mongoose.trusted({ $gte: begin, $lt: end }) });
}

/** Without an organization: this lookup is what finds it. */
export async function tokensByPrefix(prefixes: readonly string[]): Promise<TokenDocument[]> {
  return TokenModel.find({ prefix: mongoose.trusted({ $in: [...prefixes] }) }).lean();
}

export async function tokenById({ caller, tx }: Scope, id: string): Promise<TokenDocument | undefined> {
  const { organizationId } = caller;
  return (
    (await TokenModel.findOne({ organizationId, _id: id })
      .session(tx ?? null)
      .lean()) ?? undefined
  );
}

/** Of the tokens that are not over: those of a rule, or those that act as a user. */
export async function prefixesOfTokens(
  { caller }: Scope,
  of: { readonly ruleId: string } | { readonly userId: string },
): Promise<string[]> {
  const { organizationId } = caller;
  const found = await TokenModel.find(
    { organizationId, ...of, expiresAt: mongoose.trusted({ $gt: new Date() }) },
    { prefix: 1 },
  ).lean();
  return found.map(({ prefix }) => prefix);
}
