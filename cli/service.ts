import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { z } from 'zod';
import { Failure } from './failure.ts';
import { localStack } from './local-stack.ts';

/** Which service to talk to, and as whom. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectId: string | undefined;
  /** Where the key came from, for messages about a refused key. */
  readonly keySource: string;
}

/** `config.json` in the operating system's usual folder for configurations: `~/.config/worktrack/` on Linux. */
const ConfigFile = z.object({
  url: z.string(),
  apiKey: z.string(),
  projectId: z.string().optional(),
});

const configFilePath = () => join(envPaths('worktrack', { suffix: '' }).config, 'config.json');

/**
 * `WORKTRACK_URL` and `WORKTRACK_API_KEY`, else the configuration file, else the local stack. A key is sent only to the service that it was
 * given for: one from the environment to any, one from the file or the stack only to theirs.
 */
export function chooseService(environment: NodeJS.ProcessEnv = process.env): Service {
  const { WORKTRACK_URL: url, WORKTRACK_API_KEY: key, WORKTRACK_PROJECT_ID: project } = environment;
  const kept = url && key ? undefined : (fromConfigFile() ?? fromLocalStack(environment));
  if (url && !key && kept?.baseUrl !== withoutSlash(url)) {
    throw new Failure(
      'usage',
      'WORKTRACK_URL is set, but WORKTRACK_API_KEY is not. Set it to an API key of that service.',
    );
  }
  const baseUrl = url ? withoutSlash(url) : kept?.baseUrl;
  const apiKey = key || kept?.apiKey;
  if (!baseUrl || !apiKey) {
    throw new Failure(
      'usage',
      `There is no service to talk to: set WORKTRACK_URL and WORKTRACK_API_KEY, write both into ${configFilePath()}, or start a local stack with \`npm start\`.`,
    );
  }
  if (!/^https?:\/\/./.test(baseUrl)) {
    throw new Failure('usage', `WORKTRACK_URL is not an http or https URL: ${baseUrl}`);
  }
  return {
    baseUrl,
    apiKey,
    projectId: project || (kept?.baseUrl === baseUrl ? kept.projectId : undefined),
    keySource: key ? 'WORKTRACK_API_KEY' : (kept?.keySource ?? ''),
  };
}

function fromConfigFile(): Service | undefined {
  const path = configFilePath();
  if (!existsSync(path)) return undefined;
  let parsed: ReturnType<typeof ConfigFile.safeParse>;
  try {
    parsed = ConfigFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Failure('usage', `${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!parsed.success) {
    throw new Failure('usage', `${path} must hold { "url": "…", "apiKey": "wt_…", "projectId"?: "…" }.`);
  }
  const { url, apiKey, projectId } = parsed.data;
  return { baseUrl: withoutSlash(url), apiKey, projectId, keySource: path };
}

function fromLocalStack(environment: NodeJS.ProcessEnv): Service | undefined {
  const stack = localStack(environment);
  if (!stack) return undefined;
  return {
    baseUrl: withoutSlash(stack.baseUrl),
    apiKey: stack.apiKey,
    projectId: stack.projectId,
    keySource: stack.path,
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
