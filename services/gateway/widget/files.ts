import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf, PINNED, type StaticFile, staticFile } from '../http/static-file.ts';

/** Where the build of the widget puts its files (widget/build/build.ts). */
const DIST = fileURLToPath(new URL('../../../widget/dist', import.meta.url));
/** `widget-<12 hex digits of its SHA-384>.js` and the like: a name that identifies its content. */
const BUILT = /^widget(?:-[a-z]+)?-([0-9a-f]{12})\.(?:js|json)$/;
/** A page gets a new version of the widget within this time, and revalidates with an ETag in between. */
const FOLLOWING = 'public, max-age=300';

export interface WidgetFiles {
  /** By path: `/widget.js`, which follows the server's version, and `/widget-<hash>.js`, which never changes; and likewise the other files. */
  readonly byPath: ReadonlyMap<string, StaticFile>;
  /** For this version: the path that never changes, and the `integrity` that pins it, by the name that follows the version. */
  readonly manifest: Readonly<Record<string, { readonly path: string; readonly integrity: string }>>;
}

/**
 * Reads the built widget; it is small enough to be kept in memory, compressed.
 * @param pinnedDir a folder with files of earlier builds, for pages that still pin them
 */
export async function loadWidgetFiles(pinnedDir?: string): Promise<WidgetFiles> {
  const built = await readManifest();
  const byPath = new Map<string, StaticFile>();
  for (const folder of pinnedDir ? [pinnedDir, DIST] : [DIST]) {
    const files = await readdir(folder).catch((cause: Error) => {
      if (folder !== pinnedDir) throw cause;
      throw new Error(`WIDGET_PINNED_DIR: ${cause.message}. Name a folder that the gateway may read.`, { cause });
    });
    for (const file of files) {
      const digest = BUILT.exec(file)?.[1];
      // For example what a build under way has not named yet: it is gone at any moment.
      if (digest === undefined) continue;
      const content = await readFile(join(folder, file));
      if (digest === digestOf(content)) byPath.set(`/${file}`, staticFile(file, content, PINNED));
    }
  }
  for (const [name, { file }] of Object.entries(built)) {
    byPath.set(`/${name}`, staticFile(name, await readFile(join(DIST, file)), FOLLOWING));
  }
  const manifest = Object.fromEntries(
    Object.entries(built).map(([name, { file, integrity }]) => [name, { path: `/${file}`, integrity }]),
  );
  return { byPath, manifest };
}

async function readManifest(): Promise<Record<string, { file: string; integrity: string }>> {
  try {
    return JSON.parse(await readFile(join(DIST, 'manifest.json'), 'utf8'));
  } catch (error) {
    throw new Error('The widget is not built; `node widget/build/build.ts` builds it.', { cause: error });
  }
}
