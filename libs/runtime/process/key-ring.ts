import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { z } from 'zod';

const MIN_SECRET_LENGTH = 32;
const ENTRY = /^([A-Za-z0-9_-]{1,32}):(.+)$/;
const SUBKEY_BYTES = 32;

/**
 * Secrets by key id. The first signs, all verify: put a new one in front, and remove an old one once nothing that it signed
 * is needed any more.
 */
export type KeyRing = ReadonlyMap<string, KeyObject>;

/** A setting of the form `<key id>:<secret>[,<key id>:<secret>…]`. */
export const keyRingSetting = z
  .string({ error: `is missing; set <key id>:<random secret of at least ${MIN_SECRET_LENGTH} characters>` })
  .transform((value, context): KeyRing => {
    const ring = new Map<string, KeyObject>();
    for (const entry of value.split(',')) {
      const [, keyId, secret = ''] = ENTRY.exec(entry.trim()) ?? [];
      if (keyId === undefined || secret.length < MIN_SECRET_LENGTH || ring.has(keyId)) {
        context.addIssue(
          `must be <key id>:<secret>[,<key id>:<secret>…] with different ids, each secret of at least ${MIN_SECRET_LENGTH} characters`,
        );
        return z.NEVER;
      }
      ring.set(keyId, secretKey(secret));
    }
    return ring;
  });

/** The ring's keys for one purpose (HKDF, RFC 5869), so that what is signed for one is never valid for another. */
export function subkeys(ring: KeyRing, purpose: string): KeyRing {
  return new Map(
    [...ring].map(([keyId, secret]) => [
      keyId,
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, SUBKEY_BYTES))),
    ]),
  );
}

/** Prepared once: passing the bytes to each HMAC takes four times as long. */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}

/** The key that signs. */
export function signingKey(ring: KeyRing): readonly [keyId: string, key: KeyObject] {
  const [first] = ring;
  if (!first) throw new Error('A key ring holds at least one key.');
  return first;
}
