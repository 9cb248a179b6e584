import { mkdir, readdir, realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

const FIRST = '1';

/** Folders of a spool that this process has for itself. */
export interface Folders {
  /** What is appended goes to the first; the others were left by processes that are gone. */
  readonly paths: readonly string[];
  release(): void;
}

/**
 * Gateways on one machine may share the setting, so each takes a folder of its own below it, and with it those that others left. A folder is held by a
 * socket in Linux's abstract namespace, which exists once and ends with its process, however that ends.
 */
export async function takeFolders(root: string): Promise<Folders> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const base = await realpath(root);
  const locks: Server[] = [];
  const paths: string[] = [];
  const there = (await readdir(base)).filter((name) => /^\d+$/.test(name));
  for (const name of there.toSorted((a, b) => Number(a) - Number(b))) {
    const path = join(base, name);
    const server = await hold(path);
    if (server) locks.push(server);
    if (server) paths.push(path);
  }
  for (let number = Number(FIRST); paths.length === 0; number++) {
    const path = join(base, String(number));
    const server = await hold(path);
    if (!server) continue;
    await mkdir(path, { recursive: true, mode: 0o700 });
    locks.push(server);
    paths.push(path);
  }
  return { paths, release: () => locks.forEach((server) => void server.close()) };
}

function hold(path: string): Promise<Server | undefined> {
  // Elsewhere than on Linux there is no such namespace: a gateway has the folder to itself.
  if (process.platform !== 'linux') return Promise.resolve(createServer());
  return new Promise((resolve, reject) => {
    const server = createServer().unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(`\0worktrack-spool${path}`, () => resolve(server));
  });
}
