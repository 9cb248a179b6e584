import { createHmac, randomBytes } from 'node:crypto';

const MARK = 'whsec_';
/** Standard Webhooks 1.0 requires 24 to 64. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return MARK + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers by which a receiver knows who sent a request, and that it is not an old one, as in Standard Webhooks 1.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * @param secrets each one signs: a receiver accepts a signature by any of its own
 */
export function signatureHeaders(
  { id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = `${Math.floor(atMs / 1000)}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(MARK.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
