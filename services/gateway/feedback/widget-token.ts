import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { type KeyRing, signingKey } from '@worktrack/runtime/process/key-ring';

export const WIDGET_TOKEN_LIFETIME_MS = 15 * 60 * 1000;
/** How much the clocks of two gateways may differ. */
const CLOCK_SKEW_MS = 5 * 60 * 1000;
const VERSION = 1;
const NONCE_BYTES = 9;
const MAC_BYTES = 32;

/** What a token was issued for. */
export interface TokenBinding {
  readonly publicKey: string;
  /** As returned by requestOrigin. */
  readonly origin: string | null;
}

interface Payload {
  readonly v: number;
  readonly k: string;
  readonly s: string;
  readonly o: string | null;
  readonly e: number;
  readonly n: string;
}

/** @returns `base64url(payload).base64url(HMAC-SHA256)` and its expiry in milliseconds since the epoch */
export function issueToken(
  binding: TokenBinding,
  secrets: KeyRing,
  nowMs: number,
): { readonly token: string; readonly expiresAt: number } {
  const [keyId, secret] = signingKey(secrets);
  const expiresAt = nowMs + WIDGET_TOKEN_LIFETIME_MS;
  const payload: Payload = {
    v: VERSION,
    k: keyId,
    s: binding.publicKey,
    o: binding.origin,
    e: expiresAt,
    n: randomBytes(NONCE_BYTES).toString('base64url'),
  };
  const signed = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return { token: `${signed}.${mac(signed, secret).toString('base64url')}`, expiresAt };
}

/** `expired` is returned only for a token that is ours and was issued for this binding. */
export function verifyToken(
  token: string,
  binding: TokenBinding,
  secrets: KeyRing,
  nowMs: number,
): 'valid' | 'expired' | 'invalid' {
  const dot = token.indexOf('.');
  const signed = token.slice(0, dot);
  const given = strictBase64url(token.slice(dot + 1));
  if (dot < 1 || given?.length !== MAC_BYTES) return 'invalid';
  // Read before verification, only for the key id; nothing else in it is trusted until the signature is.
  const payload = readPayload(signed);
  const secret = payload && secrets.get(payload.k);
  if (!secret || !timingSafeEqual(given, mac(signed, secret))) return 'invalid';
  if (payload.v !== VERSION || payload.s !== binding.publicKey || payload.o !== binding.origin) return 'invalid';
  // A token that lasts longer than any issued now came from a wrong clock, and would outlive its lifetime.
  const lastsMs = payload.e - nowMs;
  return lastsMs > 0 && lastsMs <= WIDGET_TOKEN_LIFETIME_MS + CLOCK_SKEW_MS ? 'valid' : 'expired';
}

function mac(signed: string, secret: KeyObject): Buffer {
  return createHmac('sha256', secret).update(signed).digest();
}

/** Buffer.from skips anything that is not base64url, so many strings would decode to one token; here each token is exactly one string. */
function strictBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function readPayload(signed: string): Payload | undefined {
  const bytes = strictBase64url(signed);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && typeof (value as Payload).k === 'string'
      ? (value as Payload)
      : undefined;
  } catch {
    return undefined;
  }
}
