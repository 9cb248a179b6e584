import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { type KeyRing, signingKey } from '@worktrack/runtime/process/key-ring';
import { z } from 'zod';

export const TICKET_LIFETIME_MS = 10 * 60 * 1000;
const VERSION = 1;
const NONCE_BYTES = 12;
/** Of the subkeys that sign tickets. */
export const TICKET_PURPOSE = 'upload ticket';

/** What a ticket lets its holder do: attach one file to one item, on behalf of the key that requested it. */
export interface UploadGrant {
  readonly workItemId: string;
  /** Of the requesting key: it must still be valid when the ticket is used. */
  readonly keyPrefix: string;
  readonly fileName?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly uploadedBy?: string | undefined;
}

const Payload = z.object({
  v: z.literal(VERSION),
  k: z.string(),
  i: z.string(),
  p: z.string(),
  f: z.string().optional(),
  m: z.string().optional(),
  u: z.string().optional(),
  /** Expiry, milliseconds since the epoch. */
  e: z.int(),
  n: z.string(),
});

/** @returns `base64url(payload).base64url(HMAC-SHA256)` */
export function issueTicket(
  grant: UploadGrant,
  ring: KeyRing,
  nowMs: number,
): { readonly ticket: string; readonly expiresAt: number } {
  const [keyId, key] = signingKey(ring);
  const expiresAt = nowMs + TICKET_LIFETIME_MS;
  const payload: z.infer<typeof Payload> = {
    v: VERSION,
    k: keyId,
    i: grant.workItemId,
    p: grant.keyPrefix,
    f: grant.fileName,
    m: grant.mimeType,
    u: grant.uploadedBy,
    e: expiresAt,
    n: randomBytes(NONCE_BYTES).toString('base64url'),
  };
  const signed = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return { ticket: `${signed}.${signature(signed, key).toString('base64url')}`, expiresAt };
}

/**
 * @returns the grant and the ticket's nonce, or why there is none. The nonce is the upload's idempotency key: so a ticket takes effect once,
 * and an upload whose response was lost may be repeated with it
 */
export function verifyTicket(
  ticket: string,
  ring: KeyRing,
  nowMs: number,
): { readonly grant: UploadGrant; readonly nonce: string } | 'invalid' | 'expired' {
  const [signed = '', given = '', ...rest] = ticket.split('.');
  const payload = rest.length === 0 ? payloadOf(signed) : undefined;
  const key = payload && ring.get(payload.k);
  if (!payload || !key) return 'invalid';
  const expected = Buffer.from(signature(signed, key).toString('base64url'));
  // Compared as bytes, including the length: a non-ASCII character is more than one.
  const presented = Buffer.from(given);
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return 'invalid';
  if (payload.e <= nowMs) return 'expired';
  const { i: workItemId, p: keyPrefix, f: fileName, m: mimeType, u: uploadedBy, n: nonce } = payload;
  return { grant: { workItemId, keyPrefix, fileName, mimeType, uploadedBy }, nonce };
}

function signature(signed: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}

function payloadOf(signed: string): z.infer<typeof Payload> | undefined {
  try {
    return Payload.safeParse(JSON.parse(Buffer.from(signed, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
