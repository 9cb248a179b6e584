import type { TrustPreset } from '@worktrack/contracts/keys/trust-rules';
import { claimHolds, EVENTS_OF_STRANGERS } from '../trust-rules/presets.ts';
import type { TrustRuleDocument } from '../trust-rules/trust-rules.model.ts';
import type { JsonObject } from './jwt.ts';

/** Why a JWT was refused, in the words that those who may read the rule are shown. */
export interface Mismatch {
  readonly claim: string;
  readonly expected: string;
  readonly got: string;
}

export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** By which a token proposes what it is verified with, or asks to be understood in another way. */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'];
const MAX_KID_LENGTH = 500;
const MAX_JTI_LENGTH = 500;

export function problemOfHeader(header: JsonObject): Mismatch | undefined {
  const { alg, kid, typ } = header;
  const refused = REFUSED_MEMBERS.find((member) => Object.hasOwn(header, member));
  if (refused !== undefined) return { claim: `header ${refused}`, expected: 'absent', got: shown(header[refused]) };
  if (!ALGORITHMS.includes(alg as Algorithm)) {
    return { claim: 'header alg', expected: ALGORITHMS.join(', '), got: shown(alg) };
  }
  if (typeof kid !== 'string' || kid === '' || kid.length > MAX_KID_LENGTH) {
    return { claim: 'header kid', expected: 'a text', got: shown(kid) };
  }
  // RFC 8725, 3.11: a token for another purpose says so.
  if (typ !== undefined && !(typeof typ === 'string' && /^(application\/)?jwt$/i.test(typ))) {
    return { claim: 'header typ', expected: 'JWT', got: shown(typ) };
  }
  return undefined;
}

const SKEW_SECONDS = 30;
const HOUR_SECONDS = 3_600;
const MAX_LIFE_SECONDS: Partial<Record<TrustPreset, number>> = { kubernetes: 24 * HOUR_SECONDS };

/** @param nowSeconds since 1970 */
export function problemOfTimes(
  { iat, exp, nbf }: JsonObject,
  preset: TrustPreset,
  nowSeconds: number,
): Mismatch | undefined {
  const maxLife = MAX_LIFE_SECONDS[preset] ?? HOUR_SECONDS;
  for (const [claim, value] of Object.entries({ iat, exp, ...(nbf !== undefined && { nbf }) })) {
    if (!isTime(value)) return { claim, expected: 'whole seconds', got: shown(value) };
  }
  const [issued, ends, begins] = [iat as number, exp as number, (nbf ?? iat) as number];
  if (issued > nowSeconds + SKEW_SECONDS) return { claim: 'iat', expected: `at most ${nowSeconds}`, got: `${issued}` };
  if (begins > nowSeconds + SKEW_SECONDS) return { claim: 'nbf', expected: `at most ${nowSeconds}`, got: `${begins}` };
  if (ends <= nowSeconds - SKEW_SECONDS) return { claim: 'exp', expected: `after ${nowSeconds}`, got: `${ends}` };
  if (ends <= issued || ends - issued > maxLife) {
    return { claim: 'exp', expected: `at most ${maxLife} s after iat`, got: `${ends - issued} s` };
  }
  return undefined;
}

/**
 * When what is given for a JWT ends: with the JWT at the latest. One that has just ended by our clock may not have by its issuer's.
 */
export function endOf(exp: number, ttlSeconds: number, nowSeconds: number): number {
  return Math.min(nowSeconds + ttlSeconds, exp > nowSeconds ? exp : exp + SKEW_SECONDS);
}

export function problemOfId({ jti }: JsonObject): Mismatch | undefined {
  if (jti === undefined || (typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH)) return undefined;
  return { claim: 'jti', expected: 'a text', got: shown(jti) };
}

/** One for others as well could be used by them (RFC 8725, 3.9). */
export function problemOfAudience({ aud }: JsonObject): Mismatch | undefined {
  return [aud].flat().length === 1
    ? undefined
    : { claim: 'aud', expected: "the rule's audience alone", got: shown(aud) };
}

/** Every condition of the rule that the token does not meet. */
export function mismatchesOf(
  { claims, preset }: Pick<TrustRuleDocument, 'claims' | 'preset'>,
  payload: JsonObject,
): Mismatch[] {
  const found = claims.flatMap(({ name, is }): Mismatch[] => {
    // A rule may name `toString`, which every object has, and which no token means.
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    const got = textOf(value);
    if (got !== undefined && claimHolds(name, is, got)) return [];
    return [{ claim: name, expected: [is].flat().join(' or '), got: shown(value) }];
  });
  if (preset !== 'github' || claims.some(({ name }) => name === 'event_name')) return found;
  const { event_name: event = '' } = payload;
  if (typeof event === 'string' && !EVENTS_OF_STRANGERS.includes(event)) return found;
  return [
    ...found,
    { claim: 'event_name', expected: 'to be named by the rule, since strangers cause it', got: shown(event) },
  ];
}

const isTime = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Ids may be numbers, and flags booleans. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? `${value}` : undefined;
}

const MAX_SHOWN_LENGTH = 200;

/** What a token says is anybody's text: cut to what is worth reading. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_SHOWN_LENGTH);
}
