import { createECDH } from 'node:crypto';
import { z } from 'zod';

/** By which push services know who sends (RFC 8292): both halves in base64url, as they are written everywhere. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const PAIR = /^([A-Za-z0-9_-]{87}):([A-Za-z0-9_-]{43})$/;

/** A setting of the form `<public key>:<private key>`. */
export const vapidKeysSetting = z.string().transform((value, context): VapidKeys => {
  const [, publicKey = '', privateKey = ''] = PAIR.exec(value.trim()) ?? [];
  if (isPair(publicKey, privateKey)) return { publicKey, privateKey };
  context.addIssue(
    'must be <public key>:<private key>, a pair of P-256 in base64url, as `npx web-push generate-vapid-keys` makes it',
  );
  return z.NEVER;
});

function isPair(publicKey: string, privateKey: string): boolean {
  const ecdh = createECDH('prime256v1');
  try {
    ecdh.setPrivateKey(privateKey, 'base64url');
  } catch {
    return false;
  }
  return ecdh.getPublicKey('base64url') === publicKey;
}
