import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the services are keyed with; environment variables by the same names have precedence. */
export interface Secrets {
  readonly KEY_PEPPER: string;
  readonly WIDGET_TOKEN_SECRETS: string;
  readonly IP_HASH_SECRET: string;
}

/** Made once for a data directory, for keys that were hashed with one pepper are worthless under another. */
export function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): Secrets {
  const path = join(dataDir, 'secrets.json');
  let kept: Secrets;
  try {
    kept = JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    kept = {
      KEY_PEPPER: secret(),
      WIDGET_TOKEN_SECRETS: `1:${secret()}`,
      IP_HASH_SECRET: secret(),
    };
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  }
  return {
    KEY_PEPPER: env.KEY_PEPPER || kept.KEY_PEPPER,
    WIDGET_TOKEN_SECRETS: env.WIDGET_TOKEN_SECRETS || kept.WIDGET_TOKEN_SECRETS,
    IP_HASH_SECRET: env.IP_HASH_SECRET || kept.IP_HASH_SECRET,
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
