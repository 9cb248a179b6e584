import crypto, { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { AuditEntry, AuditHead } from '@worktrack/contracts/audit/entry';

type Json = Readonly<Record<string, unknown>>;

/**
 * The canonical form of RFC 8785. Object keys are in the order of their UTF-16 code units. Everything else is as ECMAScript writes it, which the RFC prescribes
 * for texts and numbers.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  let fields = '';
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Json)[key];
    if (inner !== undefined) fields += `${fields && ','}${quoted(key)}:${canonicalJson(inner)}`;
  }
  return `{${fields}}`;
}

/** What has nothing to escape, as nearly all texts, is quoted as it is: four times as fast. */
const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
const PLAIN = /^[ !#-[\]-~\u00a0-\ud7ff]*$/;

/** @param salt in hex. @returns hex SHA-256(salt ‖ canonical value), which stays when the value and its salt are erased */
export function commitmentTo(value: unknown, salt: string): string {
  return sha256(Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(canonicalJson(value))]));
}

type Hashed = Omit<AuditEntry, 'hash'> & { readonly hash?: string };

/** @returns the entry's `hash`: lowercase hex SHA-256(`before` ‖ canonical entry, in which each salted value is its commitment) */
export function chainedHash(before: string, { hash: _, salts, ...entry }: Hashed): string {
  // Put in place and back again: whoever checks a million entries would spend more time on copies than on hashes.
  const replacements = Object.entries(salts).flatMap(([path, salt]) => {
    const steps = path.split('.');
    const field = steps.pop() as string;
    let holder: unknown = entry;
    for (const step of steps) holder = (holder as Json | null | undefined)?.[step];
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, field)) return [];
    const values = holder as Record<string, unknown>;
    return [{ values, field, value: values[field], commitment: commitmentTo(values[field], salt) }];
  });
  for (const { values, field, commitment } of replacements) values[field] = commitment;
  try {
    return sha256(before + canonicalJson(entry));
  } finally {
    for (const { values, field, value } of replacements) values[field] = value;
  }
}

/** In one call where Node has it (20.12): twice as fast for short texts. */
const sha256: (text: string | Buffer) => string = crypto.hash
  ? (text) => crypto.hash('sha256', text)
  : (text) => crypto.createHash('sha256').update(text).digest('hex');

/** @returns a copy in which the value at the path is another one; a path that leads nowhere changes nothing */
export function replaced(value: unknown, [step, ...rest]: readonly string[], by: (value: unknown) => unknown): unknown {
  if (step === undefined) return by(value);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return value;
  if (Array.isArray(value)) {
    return value.map((each, index) => (String(index) === step ? replaced(each, rest, by) : each));
  }
  return { ...value, [step]: replaced((value as Json)[step], rest, by) };
}

type Unsigned = Pick<AuditHead, 'organizationId' | 'seq' | 'hash' | 'at'>;
const signedPart = ({ organizationId, seq, hash, at }: Unsigned) =>
  Buffer.from(canonicalJson({ organizationId, seq, hash, at }));

export function signHead(head: Unsigned, keyId: string, key: KeyObject): AuditHead {
  return { ...head, keyId, signature: sign(null, signedPart(head), key).toString('base64url') };
}

export function isSignedBy(head: AuditHead, key: KeyObject): boolean {
  return verify(null, signedPart(head), key, Buffer.from(head.signature, 'base64url'));
}

/** An Ed25519 key of a JWKS (RFC 8037). */
export interface AuditKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly kid: string;
  /** base64url */
  readonly x: string;
}

export function publicKeyOf({ kty, crv, x }: AuditKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}
