import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, inFlags, notAsWorktrack, whyOf } from '../failure.ts';
import { ATTEMPTS, LONGEST_WAIT_SECONDS, repeated, TOO_MANY_REQUESTS } from './repeated.ts';

const TIMEOUT_MS = 30_000;
/** A token is not used for a call that might arrive after its end. */
const SPARE_MS = 30_000;
/** By then a command that fetches a token has it, has failed, or was killed: in each attempt it asks for a JWT, and with that for a token. */
const LONGEST_TURN_MS = ATTEMPTS * (2 * TIMEOUT_MS + LONGEST_WAIT_SECONDS * 1_000);
const POLL_MS = 50;
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Of one request. */
const limits = () => ({ redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }) as const;

interface Kept {
  readonly token: string;
  readonly endsAtMs: number;
}

/**
 * The token that a rule of trust gives to this CI job, fetched when it is first needed, and again shortly before it ends. Each command is a process of its own,
 * and a JWT is exchanged only once, so the token is kept in a file meanwhile. Only this user can read that file, and only this job knows its name.
 * @param rule its id, or its audience if WORKTRACK_URL is not the address that the service gives for itself
 */
export function tokenOfRule(
  baseUrl: string,
  rule: string,
  environment: NodeJS.ProcessEnv,
): (refused?: string) => Promise<string> {
  const audience = rule.includes('/') ? rule : `${baseUrl}/trust/${rule}`;
  return async (refused) => {
    const source = sourceOf(environment);
    const name = createHash('sha256').update(`${baseUrl}\n${audience}\n${source.job}`).digest('hex');
    const path = join(environment.RUNNER_TEMP || tmpdir(), `worktrack-${name.slice(0, 32)}`);
    return (
      lasting(path, refused) ??
      inTurn(`${path}.lock`, async () => {
        const fromAnother = lasting(path, refused);
        if (fromAnother !== undefined) return fromAnother;
        const fresh = await exchanged(baseUrl, audience, source);
        keep(path, fresh);
        return fresh.token;
      })
    );
  };
}

/** Of several commands that a job runs at once, one fetches the token: there may be one JWT for all of them, which is exchanged once. */
async function inTurn<T>(lock: string, fetched: () => Promise<T>): Promise<T> {
  while (!taken(lock)) await delay(POLL_MS);
  try {
    return await fetched();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Where nothing can be written, each command fetches its own.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
  }
  const begunAtMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - begunAtMs > LONGEST_TURN_MS) rmSync(lock, { force: true });
  return false;
}

function lasting(path: string, refused: string | undefined): string | undefined {
  const kept = keptIn(path);
  return kept && kept.token !== refused && kept.endsAtMs - Date.now() > SPARE_MS ? kept.token : undefined;
}

interface Source {
  /** Known to this job alone. */
  readonly job: string;
  jwt(audience: string): Promise<string>;
}

function sourceOf(environment: NodeJS.ProcessEnv): Source {
  const {
    WORKTRACK_ID_TOKEN: given,
    WORKTRACK_ID_TOKEN_FILE: file,
    ACTIONS_ID_TOKEN_REQUEST_URL: url,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret,
  } = environment;
  if (given) return { job: given, jwt: async () => given };
  if (file) {
    const jwt = textOf(file);
    return { job: jwt, jwt: async () => jwt };
  }
  if (url && secret) return { job: secret, jwt: (audience) => fromGitHub(url, secret, audience) };
  throw new Failure(
    'usage',
    'WORKTRACK_TRUST_RULE is set, but there is no ID token to show: set WORKTRACK_ID_TOKEN (GitLab: id_tokens) or WORKTRACK_ID_TOKEN_FILE, or in GitHub Actions give the job `permissions: id-token: write`.',
  );
}

function textOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Failure('usage', `WORKTRACK_ID_TOKEN_FILE cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw new Failure('usage', `WORKTRACK_ID_TOKEN_FILE names ${file}, which is empty.`);
  return text;
}

/** https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token */
async function fromGitHub(url: string, secret: string, audience: string): Promise<string> {
  const response = await fetch(`${url}&audience=${encodeURIComponent(audience)}`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'application/json' },
    ...limits(),
  }).catch((error: unknown) => {
    throw noAnswer(url, error);
  });
  const { value } = ((await response.json().catch(() => undefined)) ?? {}) as { readonly value?: string };
  if (!response.ok || !value) throw new Failure('unreachable', `GitHub gives no ID token (HTTP ${response.status}).`);
  return value;
}

async function exchanged(baseUrl: string, audience: string, source: Source): Promise<Kept> {
  const url = `${baseUrl}/oauth/token`;
  const response = await repeated(async () => {
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await source.jwt(audience) });
    return fetch(url, { method: 'POST', body, ...limits() }).catch((error: unknown) => error);
  });
  if (!(response instanceof Response)) throw noAnswer(url, response);
  const answer = ((await response.json().catch(() => undefined)) ?? {}) as {
    readonly access_token?: string;
    readonly expires_in?: number;
    readonly error_description?: string;
    readonly request_id?: string;
  };
  if (answer.access_token)
    return { token: answer.access_token, endsAtMs: Date.now() + (answer.expires_in ?? 0) * 1_000 };
  const { status } = response;
  const kind = status >= 500 ? 'unreachable' : status === TOO_MANY_REQUESTS ? 'refused' : 'usage';
  if (!answer.error_description) {
    throw new Failure(kind, notAsWorktrack(baseUrl, status));
  }
  const why = inFlags(answer.error_description, [], {});
  throw new Failure(kind, `${baseUrl} gives no token for ${audience}: ${why} (request ${answer.request_id})`);
}

function noAnswer(url: string, error: unknown): Failure {
  return new Failure('unreachable', `${new URL(url).origin} does not answer (${whyOf(error)}).`);
}

function keptIn(path: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

function keep(path: string, kept: Kept): void {
  try {
    // Whole or not at all: others may be reading it.
    writeFileSync(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // The next command asks for its own.
  }
}
