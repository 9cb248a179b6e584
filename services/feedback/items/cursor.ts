import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type KeyRing, signingKey } from '@worktrack/runtime/process/key-ring';

/** Where a page ended: the next one continues with older items. */
export interface Position {
  readonly createdAtMs: number;
  readonly id: string;
}

const MAC_BYTES = 16;

/**
 * Cursors are positions signed together with the list that they belong to. A cursor of another list (another organization, other filters), or one made by hand,
 * is rejected instead of leading to a page of something else.
 */
export class Cursors {
  readonly #keys: KeyRing;

  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** @param list identifies the list; equal values mean the same list */
  write({ createdAtMs, id }: Position, list: unknown): string {
    const [keyId, key] = signingKey(this.#keys);
    const payload = Buffer.from(JSON.stringify([createdAtMs, id])).toString('base64url');
    return `${keyId}.${payload}.${mac(payload, list, key).toString('base64url')}`;
  }

  /** @returns undefined for anything that `write` did not create for this list */
  read(cursor: string, list: unknown): Position | undefined {
    const [keyId = '', payload = '', signature = '', ...rest] = cursor.split('.');
    const key = this.#keys.get(keyId);
    const given = Buffer.from(signature, 'base64url');
    if (!key || rest.length > 0 || given.length !== MAC_BYTES) return undefined;
    if (!timingSafeEqual(given, mac(payload, list, key))) return undefined;
    const [createdAtMs, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [number, string];
    return { createdAtMs, id };
  }
}

function mac(payload: string, list: unknown, key: KeyObject): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([payload, list]))
    .digest()
    .subarray(0, MAC_BYTES);
}
