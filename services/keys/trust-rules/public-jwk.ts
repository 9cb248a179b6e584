import type { PublicJwk } from './trust-rules.model.ts';

const MIN_RSA_BITS = 2_048;
const MAX_RSA_BITS = 8_192;
/** 65537 has 17. One as long as the modulus makes a verification cost as much as a signature: 22 ms, and whoever makes a rule chooses its keys. */
const MAX_EXPONENT_BITS = 32;
const MAX_MEMBER_LENGTH = 4_096;

/** The members that a key is verified with (RFC 7518, 6; RFC 8037, 2), and those by which it is found. All else is left out, certificates too. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};
const FINDERS = ['kid', 'alg', 'use'];
const CURVES: Readonly<Record<string, string>> = { EC: 'P-256', OKP: 'Ed25519' };
/** Of private and symmetric keys. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'k'];
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** @returns the key as it is kept, or what is wrong with it */
export function publicJwk(
  given: Readonly<Record<string, unknown>>,
): { readonly jwk: PublicJwk } | { readonly problem: string } {
  if (SECRET_MEMBERS.some((member) => Object.hasOwn(given, member))) {
    return { problem: 'holds a secret: send public keys only, and replace this one, since it has been sent' };
  }
  const { kty, use, key_ops: operations } = given;
  const members = typeof kty === 'string' && Object.hasOwn(MEMBERS, kty) ? MEMBERS[kty] : undefined;
  if (typeof kty !== 'string' || !members) return { problem: 'must have the kty RSA, EC or OKP' };
  if (use !== undefined && use !== 'sig') return { problem: 'must be for signatures (use: sig)' };
  if (Array.isArray(operations) && !operations.includes('verify'))
    return { problem: 'must be to verify with (key_ops)' };
  const jwk: Record<string, string> = { kty };
  for (const member of members) {
    const value = given[member];
    if (typeof value !== 'string' || value.length > MAX_MEMBER_LENGTH || !(member === 'crv' || BASE64URL.test(value))) {
      return { problem: `must have ${members.join(', ')}` };
    }
    jwk[member] = value;
  }
  if (CURVES[kty] !== undefined && jwk.crv !== CURVES[kty]) return { problem: `must be on the curve ${CURVES[kty]}` };
  if (kty === 'RSA') {
    const bits = bitsOf(jwk.n ?? '');
    if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
      return { problem: `must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits` };
    if (bitsOf(jwk.e ?? '') > MAX_EXPONENT_BITS)
      return { problem: `must have an e of at most ${MAX_EXPONENT_BITS} bits` };
  }
  for (const finder of FINDERS) {
    const value = given[finder];
    if (typeof value === 'string' && value.length <= MAX_MEMBER_LENGTH) jwk[finder] = value;
  }
  return { jwk };
}

/** Of a number in base64url, leading zeros aside. */
function bitsOf(number: string): number {
  const bytes = Buffer.from(number, 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] as number) + 24;
}
