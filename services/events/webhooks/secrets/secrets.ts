import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type KeyRing, signingKey, subkeys } from '@worktrack/runtime/process/key-ring';

const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D, 8.2: 96 random bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals webhook secrets for the database, so that a copy of it alone is not enough to forge a request. */
export class SecretBox {
  readonly #keys: KeyRing;

  constructor(ring: KeyRing) {
    this.#keys = subkeys(ring, 'secrets of webhooks');
  }

  /** @param webhookId a secret moved into another webhook's record cannot be opened */
  seal(secret: string, webhookId: string): string {
    const [keyId, key] = signingKey(this.#keys);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(webhookId));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${keyId}.${sealed.toString('base64url')}`;
  }

  /** @throws if the key that sealed it is no longer in the ring, or anything was changed */
  open(sealed: string, webhookId: string): string {
    const [keyId = '', text = ''] = sealed.split('.');
    const key = this.#keys.get(keyId);
    if (!key) throw new Error(`A secret is sealed with the key ${keyId}, which is not in WEBHOOK_SECRETS.`);
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(webhookId))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  opens(sealed: string, webhookId: string): boolean {
    try {
      this.open(sealed, webhookId);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether it is sealed with the first key. If not, it must be sealed again, so that the older key can be removed. */
  isCurrent(sealed: string): boolean {
    const [keyId] = signingKey(this.#keys);
    return sealed.startsWith(`${keyId}.`);
  }
}
