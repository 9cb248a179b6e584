import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

/** Where the CLI build puts its files (cli/one-file/build.ts). */
const DIST = fileURLToPath(new URL('../../../cli/dist/', import.meta.url));
const NAME = 'worktrack.mjs';

/** The `worktrack` command as a single file, and its hash. */
export interface CommandFile {
  readonly code: Buffer;
  readonly sha256: string;
}

export async function loadCommandFile(): Promise<CommandFile> {
  try {
    return { code: await readFile(DIST + NAME), sha256: await readFile(`${DIST + NAME}.sha256`, 'utf8') };
  } catch (error) {
    throw new Error('The worktrack command is not built; `node cli/one-file/build.ts` builds it.', { cause: error });
  }
}

/** For users without a clone: the version of the command that matches this service. It contains nothing secret, so it needs no key. */
export function registerCommandRoutes(app: FastifyInstance, { code, sha256 }: CommandFile): void {
  const etag = `"${sha256.slice(0, 16)}"`;
  app.get(`/cli/${NAME}`, (request, reply) => {
    reply.headers({ etag, 'cache-control': 'public, max-age=300' });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').send(code);
  });
  app.get(`/cli/${NAME}.sha256`, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').type('text/plain; charset=utf-8').send(sha256),
  );
}
