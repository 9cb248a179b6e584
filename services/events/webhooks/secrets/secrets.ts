import { type KeyRing, signingKey, subkeys } from '@worktrack/runtime/process/key-ring';
import { open, seal } from '@worktrack/runtime/process/sealed';

/** Seals webhook secrets for the database, so that a copy of it alone is not enough to forge a request. */
export class SecretBox {
  readonly #keys: KeyRing;

  constructor(ring: KeyRing) {
    this.#keys = subkeys(ring, 'secrets of webhooks');
  }

  /** @param webhookId a secret moved into another webhook's record cannot be opened */
  seal(secret: string, webhookId: string): string {
    const [keyId, key] = signingKey(this.#keys);
    return `${keyId}.${seal(secret, key, webhookId)}`;
  }

  /** @throws if the key that sealed it is no longer in the ring, or anything was changed */
  open(sealed: string, webhookId: string): string {
    const [keyId = '', text = ''] = sealed.split('.');
    const key = this.#keys.get(keyId);
    if (!key) throw new Error(`A secret is sealed with the key ${keyId}, which is not in WEBHOOK_SECRETS.`);
    return open(text, key, webhookId);
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
