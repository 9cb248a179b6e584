import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PINNED, type StaticFile, staticFile } from '../http/static-file.ts';

/** Where the build of the console puts its files (console/build/build.ts). */
const DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** Below `/console/`: what has the hash of its content in its name. */
export const ASSETS = 'assets/';
/** Kept, but asked for each time. */
const CHECKED = 'no-cache';

export interface ConsoleFiles {
  /** The page, which names its version's files. */
  readonly page: StaticFile;
  /** By path below `/console/`: each has the hash of its content in its name, but for the worker. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

interface Manifest {
  readonly page: string;
  readonly assets: readonly string[];
}

/** Reads the built console; it is small enough to be kept in memory, compressed. */
export async function loadConsoleFiles(): Promise<ConsoleFiles> {
  const { page, assets } = await readManifest();
  const load = async (name: string, cacheControl: string) =>
    staticFile(name, await readFile(join(DIST, name)), cacheControl);
  return {
    page: await load(page, CHECKED),
    assets: new Map(
      await Promise.all(
        assets.map(async (name) => [name, await load(name, name.startsWith(ASSETS) ? PINNED : CHECKED)] as const),
      ),
    ),
  };
}

async function readManifest(): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(join(DIST, 'manifest.json'), 'utf8')) as Manifest;
  } catch (error) {
    throw new Error('The console is not built; `node console/build/build.ts` builds it.', { cause: error });
  }
}
