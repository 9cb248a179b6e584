import { createECDH } from 'node:crypto';
import { join } from 'node:path';
import { madeOnce, randomSecret } from './made-once.ts';

const MAKERS = {
  KEY_PEPPER: randomSecret,
  WIDGET_TOKEN_SECRETS: ring,
  IP_HASH_SECRET: randomSecret,
  RPC_SECRETS_KEYS: ring,
  RPC_SECRETS_WORKITEMS: ring,
  RPC_SECRETS_FEEDBACK: ring,
  RPC_SECRETS_EVENTS: ring,
  EVENT_SECRETS: ring,
  WEBHOOK_SECRETS: ring,
  AUDIT_SIGNING_KEYS: ring,
  VAPID_KEYS: vapidPair,
};

/** The services' secrets; environment variables with the same names take precedence. */
export type Secrets = Readonly<Record<keyof typeof MAKERS, string>>;

export const SECRET_NAMES = Object.keys(MAKERS) as readonly (keyof Secrets)[];

/** Generated once per data directory, since keys that were hashed with one pepper are worthless under another. */
export function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): Secrets {
  const kept = madeOnce(join(dataDir, 'secrets.json'), MAKERS);
  return Object.fromEntries(SECRET_NAMES.map((name) => [name, env[name] || kept[name]])) as Secrets;
}

/** In the form in which services read it: `<key id>:<secret>`. */
function ring(): string {
  return `1:${randomSecret()}`;
}

/** `<public key>:<private key>`, of P-256 (RFC 8292). */
function vapidPair(): string {
  for (;;) {
    const ecdh = createECDH('prime256v1');
    const publicKey = ecdh.generateKeys('base64url');
    const privateKey = ecdh.getPrivateKey('base64url');
    // One in 256 begins with a zero byte, which is left out.
    if (ecdh.getPrivateKey().length === 32) return `${publicKey}:${privateKey}`;
  }
}
