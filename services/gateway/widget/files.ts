import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Where the build of the widget puts its files (widget/build.ts). */
const DIST = fileURLToPath(new URL('../../../widget/dist', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};
/** `widget-<12 hex digits of its SHA-384>.js` and the like: a name that stands for one content. */
const BUILT = /^widget(?:-[a-z]+)?-([0-9a-f]{12})\.(?:js|json)$/;
/** A page gets a new version of the widget within this time, and asks with an ETag in between. */
const FOLLOWING = 'public, max-age=300';
const PINNED = 'public, max-age=31536000, immutable';

export type Encoding = 'br' | 'gzip' | 'identity';

/** One file, ready to be sent. */
export interface WidgetFile {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

export interface WidgetFiles {
  /** By path: `/widget.js`, which follows the server's version, and `/widget-<hash>.js`, which never changes; and so the further files. */
  readonly byPath: ReadonlyMap<string, WidgetFile>;
  /** Of this version: the path that never changes, and the `integrity` that pins it, by the name that follows. */
  readonly manifest: Readonly<Record<string, { readonly path: string; readonly integrity: string }>>;
}

/**
 * Reads the built widget; it is small enough to be kept in memory, compressed.
 * @param pinnedDir a folder with files of earlier builds, for pages that still pin them
 */
export async function loadWidgetFiles(pinnedDir?: string): Promise<WidgetFiles> {
  const built = await readManifest();
  const byPath = new Map<string, WidgetFile>();
  for (const folder of pinnedDir ? [pinnedDir, DIST] : [DIST]) {
    for (const file of await readdir(folder)) {
      const content = await readFile(join(folder, file));
      if (BUILT.exec(file)?.[1] === digestOf(content)) byPath.set(`/${file}`, ready(file, content, PINNED));
    }
  }
  for (const [name, { file }] of Object.entries(built)) {
    byPath.set(`/${name}`, ready(name, await readFile(join(DIST, file)), FOLLOWING));
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
    throw new Error('The widget is not built; `node widget/build.ts` builds it.', { cause: error });
  }
}

function ready(name: string, content: Buffer, cacheControl: string): WidgetFile {
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    // Weak: the same for all encodings of one content.
    etag: `W/"${digestOf(content)}"`,
    cacheControl,
    bodies: { br: brotliCompressSync(content), gzip: gzipSync(content, { level: 9 }), identity: content },
  };
}

function digestOf(content: Buffer): string {
  return createHash('sha384').update(content).digest('hex').slice(0, 12);
}
