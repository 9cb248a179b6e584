import { createHmac, randomBytes } from 'node:crypto';

const MARK = 'whsec_';
/** Standard Webhooks 1.0 wants 24 to 64. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return MARK + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers by which a receiver knows whom a request is from, and that it is not an old one, of Standard Webhooks 1.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * @param secrets each signs: a receiver accepts what any of its own has signed
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
