import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import { decoded } from '../text-input.ts';
import { localStack } from './local-stack.ts';
import { tokenOfRule } from './trust-token.ts';

/** Which service to talk to, and as whom. */
export interface Service {
  readonly baseUrl: string;
  /**
   * A key, or the token of a rule of trust, which may have to be fetched first.
   * @param refused one that the service takes no more: a rule may give another
   * @throws Failure
   */
  credential(refused?: string): Promise<string>;
  readonly projectId: string | undefined;
  /** Where that came from, for messages about a wrong one. */
  readonly projectSource: string;
  /** Where it came from, for messages about a refused one. */
  readonly keySource: string;
}

/** The service knows no such key. Of a token, it has ended, or somebody has ended it by changing its rule. */
export const UNKNOWN_KEY = 401;

/**
 * Asks with the credential, and once more if that is refused and another is to be had.
 * @returns the response, or what `fetch` threw
 * @throws Failure if there is no credential
 */
export async function asked(
  { credential }: Pick<Service, 'credential'>,
  ask: (authorization: string) => Promise<Response>,
): Promise<unknown> {
  const askAs = (key: string) => ask(`Bearer ${key}`).catch((error: unknown) => error);
  const first = await credential();
  const answer = await askAs(first);
  if (!(answer instanceof Response) || answer.status !== UNKNOWN_KEY) return answer;
  const other = await credential(first);
  if (other === first) return answer;
  await answer.body?.cancel();
  return askAs(other);
}

/** `config.json` in the operating system's usual folder for configurations: `~/.config/worktrack/` on Linux. */
const ConfigFile = z.object({
  url: z.string(),
  apiKey: z.string(),
  projectId: z.string().optional(),
});

const configFilePath = () => join(envPaths('worktrack', { suffix: '' }).config, 'config.json');

/**
 * `WORKTRACK_URL` and `WORKTRACK_API_KEY` or `WORKTRACK_TRUST_RULE`, else the configuration file, else the local stack. A key is sent only to the service that it was
 * given for: one from the environment to any, one from the file or the stack only to theirs.
 */
export function chooseService(environment: NodeJS.ProcessEnv = process.env): Service {
  const { WORKTRACK_URL: url, WORKTRACK_API_KEY: key, WORKTRACK_PROJECT_ID: project } = environment;
  const rule = key ? undefined : environment.WORKTRACK_TRUST_RULE;
  const kept = url && (key || rule) ? undefined : (fromConfigFile() ?? fromLocalStack(environment));
  if (url && !key && !rule && kept?.baseUrl !== withoutSlash(url)) {
    throw new Failure(
      'usage',
      'WORKTRACK_URL is set, but WORKTRACK_API_KEY is not. Set it to an API key of that service, or in a job of CI set WORKTRACK_TRUST_RULE.',
    );
  }
  const baseUrl = url ? withoutSlash(url) : kept?.baseUrl;
  if (rule && !url) throw new Failure('usage', 'WORKTRACK_TRUST_RULE is set, but WORKTRACK_URL is not.');
  if (!baseUrl || !(key || rule || kept)) {
    throw new Failure(
      'usage',
      `There is no service to talk to: set WORKTRACK_URL and WORKTRACK_API_KEY, write both into ${configFilePath()}, or start a local stack with \`npm start\`.`,
    );
  }
  if (!/^https?:\/\/./.test(baseUrl)) {
    throw new Failure('usage', `WORKTRACK_URL is not an http or https URL: ${baseUrl}`);
  }
  if (key) requirePrintable(key, 'WORKTRACK_API_KEY');
  return {
    baseUrl,
    credential: rule ? tokenOfRule(baseUrl, rule, environment) : key ? async () => key : (kept as Service).credential,
    projectId: project || (kept?.baseUrl === baseUrl ? kept.projectId : undefined),
    projectSource: project ? 'WORKTRACK_PROJECT_ID' : (kept?.projectSource ?? ''),
    keySource: rule ? 'WORKTRACK_TRUST_RULE' : key ? 'WORKTRACK_API_KEY' : (kept?.keySource ?? ''),
  };
}

function fromConfigFile(): Service | undefined {
  const path = configFilePath();
  if (!existsSync(path)) return undefined;
  let parsed: ReturnType<typeof ConfigFile.safeParse>;
  try {
    parsed = ConfigFile.safeParse(JSON.parse(decoded(readFileSync(path))));
  } catch (error) {
    throw new Failure('usage', `${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!parsed.success) {
    throw new Failure('usage', `${path} must hold { "url": "…", "apiKey": "wt_…", "projectId"?: "…" }.`);
  }
  const { url, apiKey, projectId } = parsed.data;
  requirePrintable(apiKey, path);
  return {
    baseUrl: withoutSlash(url),
    credential: async () => apiKey,
    projectId,
    projectSource: `projectId in ${path}`,
    keySource: path,
  };
}

/** A header takes nothing else: a key copied from an example ends in `…`. */
function requirePrintable(key: string, source: string): void {
  if (/[^\t\r\n -~]/.test(key)) throw new Failure('usage', `${source} holds no API key: it has characters of no key.`);
}

function fromLocalStack(environment: NodeJS.ProcessEnv): Service | undefined {
  const stack = localStack(environment);
  if (!stack) return undefined;
  return {
    baseUrl: withoutSlash(stack.baseUrl),
    credential: async () => stack.apiKey,
    projectId: stack.projectId,
    projectSource: `projectId in ${stack.path}`,
    keySource: stack.path,
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
