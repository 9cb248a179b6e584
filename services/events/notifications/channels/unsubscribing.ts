import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@worktrack/contracts/fields';
import { type KeyRing, signingKey, subkeys } from '@worktrack/runtime/process/key-ring';

interface Whom {
  readonly organizationId: string;
  readonly userId: string;
}

/** Signs the address in each mail that ends all of them: it holds for as long as its key is in the ring, and is good for nothing else. */
export class Unsubscribing {
  readonly #keys: KeyRing;
  readonly #publicUrl: string;

  constructor(ring: KeyRing, publicUrl: string) {
    this.#keys = subkeys(ring, 'unsubscribing from mail');
    this.#publicUrl = publicUrl;
  }

  urlFor({ organizationId, userId }: Whom): string {
    const [keyId, key] = signingKey(this.#keys);
    const said = `${keyId}.${organizationId}.${userId}`;
    return `${this.#publicUrl}/notifications/unsubscribe?token=${said}.${signatureOf(said, key).toString('base64url')}`;
  }

  /** @returns undefined if this service did not sign it */
  whom(token: string): Whom | undefined {
    const [keyId = '', organizationId = '', userId = '', signature = ''] = token.split('.');
    const key = this.#keys.get(keyId);
    if (!key || !isUuid(organizationId) || !isUuid(userId)) return undefined;
    const expected = signatureOf(`${keyId}.${organizationId}.${userId}`, key);
    const given = Buffer.from(signature, 'base64url');
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs ? { organizationId, userId } : undefined;
  }
}

const signatureOf = (said: string, key: KeyObject) => createHmac('sha256', key).update(said).digest();
