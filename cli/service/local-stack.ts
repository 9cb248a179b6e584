import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Failure } from '../failure.ts';

/** The part of a local stack's `stack.json` that commands need. */
const LocalStack = z.object({
  baseUrl: z.string(),
  apiKey: z.string(),
  projectId: z.string().optional(),
  urls: z.object({ rabbitmq: z.string() }),
});
export type LocalStack = z.infer<typeof LocalStack> & { readonly path: string };

const Secrets = z.object({ RPC_SECRETS_KEYS: z.string() });

const CLONE = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The stack last started from `WORKTRACK_DATA_DIR`, or else from here or a parent folder, or else from the clone that this command
 * belongs to. It may have been stopped since.
 */
export function localStack(environment: NodeJS.ProcessEnv): LocalStack | undefined {
  const path = candidates(environment).find((candidate) => existsSync(candidate));
  if (path === undefined) return undefined;
  return { ...read(path, LocalStack), path };
}

/** The secrets of a local stack's services, as far as commands need them. */
export function secretsOf({ path }: LocalStack): z.infer<typeof Secrets> {
  return read(join(dirname(path), 'secrets.json'), Secrets);
}

function read<Content extends z.ZodType>(path: string, content: Content): z.output<Content> {
  const parsed = content.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Failure('usage', `${path} was written by another version. Start the stack again: npm start`);
}

function candidates({ WORKTRACK_DATA_DIR }: NodeJS.ProcessEnv): string[] {
  if (WORKTRACK_DATA_DIR) return [join(WORKTRACK_DATA_DIR, 'stack.json')];
  const folders: string[] = [];
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return [...folders, CLONE].map((folder) => join(folder, '.worktrack', 'stack.json'));
}
