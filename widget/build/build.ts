import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
/** English is part of the script itself. */
const LANGUAGES = ['de', 'fr', 'es', 'tr', 'ja'];

/** A built file: `widget-<hash>.js` never changes, so a page can pin it by `integrity` (Subresource Integrity). */
interface BuiltFile {
  readonly file: string;
  readonly integrity: string;
}
/** By the name that follows the version: `widget.js`, `widget-solver.js`, `widget-de.json` … */
type Manifest = Readonly<Record<string, BuiltFile>>;

/**
 * Bundles the widget, its captcha solver and its languages into `dist`, in some 0.1 s, so it is done at each start instead of asking whether it has to be.
 * Files appear whole, for a gateway may be reading them.
 */
export async function buildWidget(): Promise<Manifest> {
  const contents = new Map<string, string>([['widget-solver.js', await bundle('solver/main.ts', {})]]);
  for (const language of LANGUAGES) {
    const { [language]: strings } = await import(`../src/locales/${language}.ts`);
    contents.set(`widget-${language}.json`, JSON.stringify(strings));
  }
  const further = manifestOf(contents);
  contents.set('widget.js', await bundle('main.ts', { __FILES__: JSON.stringify(further) }));
  const manifest = manifestOf(contents);

  await mkdir(DIST, { recursive: true });
  for (const [name, content] of contents) await write(manifest[name]?.file ?? name, content);
  await write('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  const current = new Set(['manifest.json', ...Object.values(manifest).map(({ file }) => file)]);
  // What another build is just writing (`write`) is its own to rename.
  const earlier = (await readdir(DIST)).filter((file) => !current.has(file) && !/\.\d+$/.test(file));
  await Promise.all(earlier.map((file) => rm(join(DIST, file), { force: true })));
  return manifest;
}

async function bundle(entry: string, define: Record<string, string>): Promise<string> {
  const build = await rolldown({
    input: join(SOURCES, entry),
    platform: 'browser',
    transform: { target: 'es2022', define },
    plugins: [
      {
        name: 'style-sheet-as-text',
        async load(id) {
          if (!id.endsWith('.css')) return null;
          return { code: `export default ${JSON.stringify(dense(await readFile(id, 'utf8')))}`, moduleType: 'js' };
        },
      },
    ],
  });
  try {
    const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}

/** A style sheet without its comments and indentation. */
function dense(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .trim();
}

function manifestOf(contents: ReadonlyMap<string, string>): Manifest {
  return Object.fromEntries(
    [...contents].map(([name, content]) => {
      const digest = createHash('sha384').update(content).digest();
      const extension = extname(name);
      const file = `${basename(name, extension)}-${digest.toString('hex').slice(0, 12)}${extension}`;
      return [name, { file, integrity: `sha384-${digest.toString('base64')}` }];
    }),
  );
}

async function write(file: string, content: string): Promise<void> {
  const path = join(DIST, file);
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, content);
  await rename(fresh, path);
}

if (import.meta.main) console.log(await buildWidget());
