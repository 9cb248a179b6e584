import { hash } from 'node:crypto';
import type { User } from '@worktrack/contracts/keys/records';
import { type Flood, keyMarkOf, type exchangeToken as operation } from '@worktrack/contracts/keys/trust-tokens';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import type { Answered, Call } from '@worktrack/rpc/types';
import { type CryptoKey, compactVerify, importJWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { MAX_KEYS } from '../issuers/fetch-keys.ts';
import type { IssuerKeys } from '../issuers/issuer-keys.ts';
import type { KeyMint } from '../keys/mint.ts';
import { permissionsOfRoles } from '../roles/roles.repository.ts';
import { insertToken } from '../tokens/tokens.repository.ts';
import type { PublicJwk, TrustRuleDocument } from '../trust-rules/trust-rules.model.ts';
import { noteRuleUse, rulesById } from '../trust-rules/trust-rules.repository.ts';
import { usersById } from '../users/users.repository.ts';
import {
  ALGORITHMS,
  type Algorithm,
  endOf,
  type Mismatch,
  mismatchesOf,
  problemOfAudience,
  problemOfHeader,
  problemOfId,
  problemOfTimes,
  shown,
} from './checks.ts';
import { type ReadJwt, readJwt } from './jwt.ts';
import type { Refusals } from './refusals.ts';
import { ruleOfAudience, type TrustSettings } from './settings.ts';

type Answer = Output<typeof operation>;

export interface ExchangeNeeds {
  readonly mint: KeyMint;
  readonly settings: TrustSettings;
  readonly issuers: IssuerKeys;
  readonly refusals: Refusals;
  /** Whether to wait, if the issuer has to be asked for its keys. */
  readonly waits: boolean;
}

/**
 * Gives tokens for JWTs. Each call writes one document, which takes effect once however often the call is delivered (tokens.repository.ts). So it needs neither
 * a transaction nor a record of its idempotency key.
 */
export async function exchangeTokens(
  needs: ExchangeNeeds,
  calls: readonly Pick<Call<typeof operation>, 'input'>[],
): Promise<Answered<Answer>[]> {
  const read = calls.map(({ input }) => readJwt(input.jwt));
  const ruleIds = read.map((jwt) => jwt && ruleOfAudience(jwt.payload.aud, needs.settings));
  const rules = await rulesById([...new Set(ruleIds.filter((id) => id !== undefined))]);
  // Once for all calls of the message: hundreds of jobs begin at the same time.
  const users = await usersById([...new Set([...rules.values()].map(({ userId }) => userId))]);
  return Promise.all(
    calls.map(async ({ input }, index): Promise<Answered<Answer>> => {
      const jwt = read[index];
      const rule = rules.get(ruleIds[index] ?? '');
      if (!jwt || !rule) return { output: { outcome: 'refused' } };
      return { output: await exchange(needs, { jwt, rule, user: users.get(rule.userId), input }) };
    }),
  );
}

interface Exchange {
  readonly jwt: ReadJwt;
  readonly rule: TrustRuleDocument;
  /** That its tokens act as. */
  readonly user: User | undefined;
  readonly input: Input<typeof operation>;
}

async function exchange(
  { mint, issuers, refusals, waits }: ExchangeNeeds,
  { jwt, rule, user, input }: Exchange,
): Promise<Answer> {
  const refuse = async (mismatches: readonly Mismatch[]): Promise<Answer> => {
    await refusals.note(rule, { mismatches, isSigned: true });
    return { outcome: 'refused' };
  };
  const nowMs = Date.now();
  const nowSeconds = Math.floor(nowMs / 1_000);
  const { payload } = jwt;
  const proof = await proofOf(jwt, input.jwt, rule, {
    withId: (kid) => (waits ? issuers.withId(rule.issuer, kid) : issuers.withIdAtOnce(rule.issuer, kid)),
    leftOut: () => issuers.leftOut(rule.issuer),
  });
  if (proof === 'asking') return { outcome: proof };
  if (proof === 'unavailable') {
    const got = shown(issuers.failureOf(rule.issuer));
    const mismatch = { claim: 'iss', expected: 'an issuer whose keys can be fetched', got };
    await refusals.note(rule, { mismatches: [mismatch], isSigned: false });
    const forMs = problemOfAudience(payload) ? 0 : Math.min(MAX_UNAVAILABLE_MS, issuers.unavailableForMs(rule.issuer));
    return { outcome: proof, ...(forMs > 0 && { flood: { keyMarks: [], forMs } }) };
  }
  if (proof) {
    const closedMs = await refusals.note(rule, { mismatches: [proof], isSigned: false });
    // Gateways know a flood by its audience.
    const isFlood = closedMs > 0 && !problemOfAudience(payload);
    return { outcome: 'refused', ...(isFlood && { flood: floodOf(rule, closedMs, issuers) }) };
  }
  const problem =
    problemOfAudience(payload) ?? problemOfTimes(payload, rule.preset, nowSeconds) ?? problemOfId(payload);
  const mismatches = problem ? [problem] : mismatchesOf(rule, payload);
  if (mismatches.length > 0) return refuse(mismatches);

  if (!user || user.disabled) {
    return refuse([{ claim: 'user', expected: 'enabled', got: 'disabled' }]);
  }
  const permissions = rule.permissions.filter((each) => input.permissions?.includes(each) ?? true);
  if (permissions.length === 0) return { outcome: 'nothing left' };
  const token = await insertToken(
    {
      organizationId: rule.organizationId,
      ruleId: rule._id,
      userId: rule.userId,
      generation: rule.generation,
      prefix: input.token.prefix,
      hash: mint.hashOf(input.token.digest),
      permissions,
      createdAt: new Date(nowMs),
      expiresAt: new Date(endOf(payload.exp as number, rule.ttlSeconds, nowSeconds) * 1_000),
    },
    nameOf(jwt),
    rule.reuse,
  );
  if (!token) {
    const expected = rule.reuse === 1 ? 'exchanged once' : `exchanged at most ${rule.reuse} times`;
    return refuse([{ claim: 'jti', expected, got: 'exchanged before' }]);
  }
  await noteRuleUse(rule, token.createdAt);
  const allowed = (await permissionsOfRoles([user.role])).get(user.role) ?? [];
  return {
    outcome: 'granted',
    expiresAt: token.expiresAt.toISOString(),
    permissions: token.permissions.filter((each) => allowed.includes(each)) as Permission[],
  };
}

/** A rule that is given another issuer, or keys of its own, is believed again within this. */
const MAX_UNAVAILABLE_MS = 1_000;

/** @param closedMs for how long nothing that is unsigned is noted. @returns undefined, if others than its known keys might be accepted within that time */
function floodOf({ issuer, jwks }: TrustRuleDocument, closedMs: number, issuers: IssuerKeys): Flood | undefined {
  const known = jwks
    ? { keyIds: jwks.flatMap(({ kid }) => kid ?? []), forMs: Number.POSITIVE_INFINITY }
    : issuers.known(issuer);
  return known && { keyMarks: known.keyIds.map(keyMarkOf), forMs: Math.min(closedMs, known.forMs) };
}

/** Whether the rule's issuer signed it. @returns why not, or nothing */
async function proofOf(
  { header, payload }: ReadJwt,
  text: string,
  rule: TrustRuleDocument,
  issuer: { readonly withId: (kid: string) => ReturnType<IssuerKeys['withIdAtOnce']>; readonly leftOut: () => number },
): Promise<Mismatch | 'unavailable' | 'asking' | undefined> {
  if (rule.disabled) return { claim: 'rule', expected: 'enabled', got: 'disabled' };
  if (payload.iss !== rule.issuer) return { claim: 'iss', expected: rule.issuer, got: shown(payload.iss) };
  const problem = problemOfHeader(header);
  if (problem) return problem;
  const [kid, alg] = [header.kid as string, header.alg as Algorithm];
  const keys = rule.jwks ? rule.jwks.filter((key) => key.kid === kid) : await issuer.withId(kid);
  if (keys === 'asking') return keys;
  if (!keys) return 'unavailable';
  if (keys.length === 0) {
    const leftOut = rule.jwks ? 0 : issuer.leftOut();
    const whose = leftOut > 0 ? `first ${MAX_KEYS} usable keys: it has ${leftOut} more` : 'usable keys';
    return { claim: 'header kid', expected: `one of the issuer's ${whose}`, got: shown(kid) };
  }
  const fitting = keys.filter((key) => fits(key, alg));
  if (fitting.length === 0) {
    const own = keys.flatMap((key) => ALGORITHMS.filter((each) => fits(key, each)));
    return { claim: 'header alg', expected: [...new Set(own)].join(', '), got: alg };
  }
  for (const key of fitting.slice(0, MAX_TRIED)) if (await verifies(text, key, alg)) return undefined;
  return { claim: 'signature', expected: "made with the issuer's key", got: 'another' };
}

/** Of the keys with one id, which should be one (RFC 7517, 4.5): each costs a verification, whoever sends the JWT. */
const MAX_TRIED = 4;

const KTY: Readonly<Record<Algorithm, string>> = { RS256: 'RSA', PS256: 'RSA', ES256: 'EC', EdDSA: 'OKP' };

/** A key is used for its own algorithm only (RFC 8725, 3.1). */
function fits({ kty, alg }: PublicJwk, wanted: Algorithm): boolean {
  return kty === KTY[wanted] && (alg === undefined || alg === wanted || (wanted === 'EdDSA' && alg === 'Ed25519'));
}

const MAX_IMPORTED = 1_000;
const imported = new LRUCache<string, CryptoKey>({ max: MAX_IMPORTED });

async function verifies(jwt: string, jwk: PublicJwk, alg: Algorithm): Promise<boolean> {
  try {
    const name = `${alg} ${JSON.stringify(jwk)}`;
    const key = imported.get(name) ?? ((await importJWK({ ...jwk, alg } as never, alg)) as CryptoKey);
    imported.set(name, key);
    await compactVerify(jwt, key, { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}

/** By its id, or by all that is signed: not by the signature, of which there may be several for the same. */
function nameOf({ payload, signed }: ReadJwt): string {
  const { jti } = payload;
  return typeof jti === 'string' ? hash('sha256', `jti ${jti}`) : hash('sha256', `jwt ${signed}`);
}
