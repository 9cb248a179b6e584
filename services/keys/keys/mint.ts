import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type Mark, prefixOf } from '@worktrack/contracts/keys/key-format';
import { newKey } from '@worktrack/runtime/process/new-key';

export interface NewKey {
  /** The complete key, to be shown once. */
  readonly key: string;
  readonly prefix: string;
  readonly hash: string;
}

/** Makes keys and recognizes them. What is stored is the HMAC of a digest, so the key itself need not be sent here to be verified. */
export class KeyMint {
  readonly #pepper: string;

  constructor(pepper: string) {
    this.#pepper = pepper;
  }

  make(mark?: Mark): NewKey {
    const key = newKey(mark);
    return { key, prefix: prefixOf(key), hash: this.hashOf(hash('sha256', key)) };
  }

  /** @param digest SHA-256 of the presented key, in hexadecimal */
  recognises(stored: string, digest: string): boolean {
    return timingSafeEqual(Buffer.from(stored), Buffer.from(this.hashOf(digest)));
  }

  /** What is stored of a key. */
  hashOf(digest: string): string {
    return createHmac('sha256', this.#pepper).update(digest).digest('hex');
  }
}
