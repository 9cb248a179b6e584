import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './files/private-file.ts';
import type { ServiceName } from './layout.ts';
import { StartError } from './report/start-error.ts';
import type { Seed } from './seed/seed.ts';
import type { ServerUrls } from './servers/start.ts';

/** What programs on this machine need to use and inspect a running stack. It contains a key and the servers' passwords: mode 600. */
export interface StackFile extends Seed {
  readonly baseUrl: string;
  /** `prometheus`: with `--monitoring`. */
  readonly urls: ServerUrls & { readonly prometheus?: string };
  /** A server that somebody else runs has none. */
  readonly pids: Readonly<Record<ServiceName, readonly number[]>> & {
    readonly rabbitmq?: number;
    readonly redis?: number;
    readonly mongodb?: number;
    readonly prometheus?: number;
  };
}

const pathOf = (dataDir: string) => join(dataDir, 'stack.json');

export function writeStackFile(dataDir: string, content: StackFile): void {
  const { baseUrl, apiKey, organizationId, projectId, boardId, columns, source, urls, pids } = content;
  const ordered = { baseUrl, apiKey, organizationId, projectId, boardId, columns, source, urls, pids };
  writePrivate(pathOf(dataDir), `${JSON.stringify(ordered, undefined, 2)}\n`);
}

/** While it exists, the stack is ready. */
export function removeStackFile(dataDir: string): void {
  rmSync(pathOf(dataDir), { force: true });
}

/** @throws StartError while it is starting or stopping */
export function readStackFile(dataDir: string): StackFile {
  try {
    return JSON.parse(readFileSync(pathOf(dataDir), 'utf8')) as StackFile;
  } catch {
    throw new StartError('The stack is starting or stopping. Try again when it is ready, or has ended.');
  }
}
