import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { auditKeys } from '@worktrack/contracts/audit/operations';
import type { Output } from '@worktrack/contracts/operation';
import { signHead } from '@worktrack/runtime/audit/chain';
import { type KeyRing, signingKey, subkeys } from '@worktrack/runtime/process/key-ring';
import { endOf } from './entries.repository.ts';
import { insertHead, markSigned, unsigned } from './heads.repository.ts';

/** What precedes the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410, section 7). */
const ED25519_IN_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const AT_ONCE = 500;

/** Signs the ends of audit logs with Ed25519 keys that are derived from the secrets of AUDIT_SIGNING_KEYS. */
export class HeadSigner {
  readonly #ring: ReadonlyMap<string, KeyObject>;

  constructor(ring: KeyRing) {
    this.#ring = new Map([...subkeys(ring, 'audit heads')].map(([keyId, seed]) => [keyId, ed25519(seed)]));
  }

  /** A head for every log that has grown since its last one. */
  async signAll(): Promise<void> {
    const [keyId, key] = signingKey(this.#ring);
    for (;;) {
      const due = await unsigned(AT_ONCE);
      for (const each of due) {
        const { seq, hash } = await endOf(each._id);
        const at = new Date().toISOString();
        if (seq > 0) await insertHead(signHead({ organizationId: each._id, seq, hash, at }, keyId, key));
        await markSigned(each);
      }
      if (due.length < AT_ONCE) return;
    }
  }

  /** Of all keys of the ring, old ones included: what they signed is still checked. */
  publicKeys(): Output<typeof auditKeys> {
    const keys = [...this.#ring].map(([kid, key]) => {
      const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
      return { kty: 'OKP' as const, crv: 'Ed25519' as const, use: 'sig' as const, alg: 'EdDSA' as const, kid, x };
    });
    return { keys };
  }
}

function ed25519(seed: KeyObject): KeyObject {
  const key = Buffer.concat([ED25519_IN_PKCS8, seed.export()]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}
