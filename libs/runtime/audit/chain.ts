import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { AuditEntry, AuditHead } from '@worktrack/contracts/audit/entry';

type Json = Readonly<Record<string, unknown>>;

/**
 * The canonical form of RFC 8785: object keys in the order of their UTF-16 code units, and everything else as ECMAScript writes it, which is what
 * the RFC prescribes for texts and numbers.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  const fields: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Json)[key];
    if (inner !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(inner)}`);
  }
  return `{${fields.join(',')}}`;
}

/** @param salt in hex. @returns hex SHA-256(salt ‖ canonical value), which stays when the value and its salt are erased */
export function commitmentTo(value: unknown, salt: string): string {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(canonicalJson(value)).digest('hex');
}

/** @returns the entry's `hash`: lowercase hex SHA-256(`before` ‖ canonical entry, in which each salted value is its commitment) */
export function chainedHash(
  before: string,
  { hash: _, salts, ...entry }: AuditEntry | (Omit<AuditEntry, 'hash'> & { hash?: string }),
): string {
  const paths = Object.keys(salts);
  const committed = paths.length === 0 ? entry : withCommitments(entry, salts);
  return createHash('sha256').update(before).update(canonicalJson(committed)).digest('hex');
}

function withCommitments(entry: object, salts: Readonly<Record<string, string>>): unknown {
  let committed: unknown = entry;
  for (const [path, salt] of Object.entries(salts)) {
    committed = replaced(committed, path.split('.'), (value) => commitmentTo(value, salt));
  }
  return committed;
}

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
