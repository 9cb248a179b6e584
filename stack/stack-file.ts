import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from './layout.ts';
import type { Seed } from './seed.ts';
import type { ServerUrls } from './servers/start.ts';

/** What programs on this machine need to use and to examine a running stack. It holds a key: mode 600. */
export interface StackFile extends Seed {
  readonly baseUrl: string;
  readonly urls: ServerUrls;
  /** A server that somebody else runs has none. */
  readonly pids: Readonly<Record<ServiceName, readonly number[]>> & {
    readonly rabbitmq?: number;
    readonly redis?: number;
    readonly mongodb?: number;
  };
}

const pathOf = (dataDir: string) => join(dataDir, 'stack.json');

/** In one step, for others may read it at any moment. */
export function writeStackFile(dataDir: string, content: StackFile): void {
  const { baseUrl, apiKey, organizationId, projectId, boardId, columns, source, urls, pids } = content;
  const ordered = { baseUrl, apiKey, organizationId, projectId, boardId, columns, source, urls, pids };
  const temporary = `${pathOf(dataDir)}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(ordered, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, pathOf(dataDir));
}

/** While it is there, the stack is ready. */
export function removeStackFile(dataDir: string): void {
  rmSync(pathOf(dataDir), { force: true });
}
