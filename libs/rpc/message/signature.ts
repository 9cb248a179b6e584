import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_BYTES = 32;

/** Signs the requests to one service, and recognizes them: broker access alone does not let anybody act for a caller. */
export interface RequestSigner {
  /** @returns SIGNATURE_BYTES bytes */
  sign(content: Uint8Array): Uint8Array;
  verify(content: Uint8Array, signature: Uint8Array): boolean;
}

/**
 * HMAC with SHA-256 (RFC 2104).
 * @param keys of this service only, so that a request to one service is not valid for another. The first signs, all verify.
 */
export function hmacSigner(keys: readonly KeyObject[]): RequestSigner {
  const [signing] = keys;
  if (!signing) throw new Error('Requests are signed with at least one key.');
  return {
    sign: (content) => hmac(signing, content),
    verify: (content, signature) => keys.some((key) => timingSafeEqual(hmac(key, content), signature)),
  };
}

function hmac(key: KeyObject, content: Uint8Array): Buffer {
  return createHmac('sha256', key).update(content).digest();
}
