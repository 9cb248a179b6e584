import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { oneOf } from '@worktrack/runtime/database/one-of';
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
  const inserted = await inTurn(`${claims}${uses}`, () => insertWithNumber(token, claims, uses));
  if (typeof inserted === 'object') return inserted;
  const [stored] = await tokensByPrefix([token.prefix]);
  return stored?.claim.startsWith(claims) ? stored : undefined;
}

type Inserted = TokenDocument | 'no number left' | 'stored before';

async function insertWithNumber(
  token: Omit<TokenDocument, '_id' | 'claim'>,
  claims: string,
  uses: number,
): Promise<Inserted> {
  for (let use = uses === 1 ? 0 : await countClaims(claims); use < uses; use++) {
    const document: TokenDocument = { ...token, _id: uuidv7(), claim: `${claims}${use}` };
    try {
      await TokenModel.insertMany([document], { lean: true });
      return document;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    if (uses > 1 && (await tokensByPrefix([token.prefix])).length > 0) return 'stored before';
  }
  return 'no number left';
}

const turns = new Map<string, Promise<Inserted>>();

/**
 * Exchanges of one JWT, one after the other: at once they would only take the same number from each other, and each such conflict makes the others wait longer.
 * Once there is none left, that holds for all that wait.
 */
async function inTurn(name: string, insert: () => Promise<Inserted>): Promise<Inserted> {
  const before = turns.get(name)?.catch(() => undefined);
  const own = (async () => ((await before) === 'no number left' ? 'no number left' : insert()))();
  turns.set(name, own);
  try {
    return await own;
  } finally {
    if (turns.get(name) === own) turns.delete(name);
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
  return TokenModel.find({ prefix: oneOf(prefixes) }).lean();
}

export async function tokenById({ caller, tx }: Scope, id: string): Promise<TokenDocument | undefined> {
  const { organizationId } = caller;
  return (await TokenModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean()) ?? undefined;
}

export async function prefixOfToken({ caller }: Scope, id: string): Promise<string[]> {
  const found = await TokenModel.findOne({ organizationId: caller.organizationId, _id: id }, { prefix: 1 }).lean();
  return found ? [found.prefix] : [];
}

/** Of the tokens that are not over: those of a rule, or those that act as one of these users. */
export async function prefixesOfTokens(
  { caller: { organizationId } }: Scope,
  of: { readonly ruleId: string } | { readonly userIds: readonly string[] },
): Promise<string[]> {
  const whose = 'userIds' in of ? { userId: oneOf(of.userIds) } : of;
  const found = await TokenModel.find(
    { organizationId, ...whose, expiresAt: mongoose.trusted({ $gt: new Date() }) },
    { prefix: 1 },
  ).lean();
  return found.map(({ prefix }) => prefix);
}
