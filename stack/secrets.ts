import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the services are keyed with; environment variables by the same names have precedence. */
export interface Secrets {
  readonly KEY_PEPPER: string;
  readonly WIDGET_TOKEN_SECRETS: string;
  readonly IP_HASH_SECRET: string;
  readonly RPC_SECRETS_KEYS: string;
  readonly RPC_SECRETS_WORKITEMS: string;
  readonly RPC_SECRETS_FEEDBACK: string;
}

const MAKERS: Readonly<Record<keyof Secrets, () => string>> = {
  KEY_PEPPER: secret,
  WIDGET_TOKEN_SECRETS: ring,
  IP_HASH_SECRET: secret,
  RPC_SECRETS_KEYS: ring,
  RPC_SECRETS_WORKITEMS: ring,
  RPC_SECRETS_FEEDBACK: ring,
};

export const SECRET_NAMES = Object.keys(MAKERS) as readonly (keyof Secrets)[];

/** Made once for a data directory, for keys that were hashed with one pepper are worthless under another. */
export function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): Secrets {
  const path = join(dataDir, 'secrets.json');
  const kept = read(path);
  // A directory of an older version lacks the newer ones.
  const whole = Object.fromEntries(SECRET_NAMES.map((name) => [name, kept[name] ?? MAKERS[name]()]));
  if (SECRET_NAMES.some((name) => kept[name] === undefined)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, `${JSON.stringify(whole, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  return Object.fromEntries(SECRET_NAMES.map((name) => [name, env[name] || whole[name]])) as unknown as Secrets;
}

function read(path: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return {};
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** As services read it: `<key id>:<secret>`. */
function ring(): string {
  return `1:${secret()}`;
}
