import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'lightningcss';
import { rolldown } from 'rolldown';
import { packMessages } from './pack-messages.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
const ENTRY = join(SOURCES, 'main.tsx');
const WORKER = join(SOURCES, 'notifications', 'worker.ts');
const FIRST_SCREEN = join(SOURCES, 'board', 'screen.tsx');
/** What screens share, and the form before them: whoever has signed in needs the others next. */
const SMALL_PARTS =
  /[\\/]console[\\/]src[\\/](change[\\/]|create[\\/]|sign-in[\\/]|parts[\\/]|costs[\\/]budgets\.|verdict[\\/]|invitation[\\/]|api[\\/]refusals)/;
const CONTRACTS = /[\\/]libs[\\/]contracts[\\/]/;
/** Parts that are as large as a screen, and of few of them. */
const LARGE_PARTS = /[\\/](editor[\\/].*|markdown[^\\/]*|highlight\.ts)$/;
/** What is looked at one after the other: their words, in four languages, are smaller together. */
const TOGETHER = [
  // What drags is only needed with them.
  [
    'views',
    /[\\/](console[\\/]src[\\/](views[\\/]|list[\\/]|board[\\/](lanes[\\/]|dragging))|node_modules[\\/](@atlaskit|bind-event-listener|raf-schd)[\\/])/,
  ],
  // Ctrl+K needs their names, and not what they show.
  [
    'screens',
    /[\\/]console[\\/]src[\\/]((agents|for-you|inbox|notifications|plan|start|palette|connect)[\\/]|settings[\\/](sections|messages|project[\\/](parts|messages))\.ts)/,
  ],
  ['settings', /[\\/]console[\\/]src[\\/]settings[\\/]/],
  // The panel and the page of an item, with what compares its texts.
  ['item', /[\\/](console[\\/]src[\\/]item|node_modules[\\/]diff)[\\/]/],
] as const;
/** Where the gateway serves the console. */
const BASE = '/console/';
/** Below it, whatever has the hash of its content in its name, and so never changes. */
const ASSETS = 'assets/';
/** Chrome 125, Firefox 128, Safari 17.5: what has `light-dark()`, nesting and popovers. lightningcss counts versions so. */
const BROWSERS = { chrome: 125 << 16, firefox: 128 << 16, safari: (17 << 16) | (5 << 8) };

/** What was built, by paths below the folder `dist`. */
export interface ConsoleBuild {
  /** Where `dist` is. */
  readonly folder: string;
  /** The page, for every address of the console. */
  readonly page: 'index.html';
  /** All that the page loads before it draws the board. */
  readonly first: readonly string[];
  /** Every file beside the page. */
  readonly assets: readonly string[];
}

/**
 * Bundles the console into `dist`: a page, its styles, an entry, and a chunk for each screen. It takes some 0.2 s, so it is done at each start instead
 * of asking whether it has to be. Files appear whole, the page last, for a gateway may be reading them.
 */
export async function buildConsole(): Promise<ConsoleBuild> {
  /** Style sheets, and what imports each. */
  const styles = new Map<string, readonly string[]>();
  /** What the page needs before it draws the board. */
  const begun = new Set([ENTRY, FIRST_SCREEN]);
  const files = new Map<string, string | Uint8Array>();
  const emit = (name: string, content: string) => {
    const [path] = hashed(name, '.json', Buffer.from(content));
    files.set(path, content);
    return BASE + path;
  };
  const build = await rolldown({
    input: ENTRY,
    platform: 'browser',
    // The first is for libraries of dragging, whose other builds are compiled for browsers that lack classes. The alias spares 1 kB: text-expander brings an
    // earlier version of combobox-nav, but uses only what the later one has too.
    resolve: {
      mainFields: ['module:es2019', 'browser', 'module', 'main'],
      alias: {
        '@github/combobox-nav': fileURLToPath(new URL('../node_modules/@github/combobox-nav', import.meta.url)),
      },
    },
    transform: { target: 'es2023' },
    onLog(_, log) {
      // It would be left for the browser to find.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
    plugins: [
      packMessages({ isFirst: (id) => begun.has(id), emit }),
      {
        name: 'style-sheets',
        // In whichever order they are met: layers decide what has precedence (src/styles/layers.css).
        async load(id) {
          return id.endsWith('.css') ? { code: '', moduleType: 'js', moduleSideEffects: false } : null;
        },
        buildEnd() {
          for (const id of this.getModuleIds()) {
            if (id.endsWith('.css')) styles.set(id, this.getModuleInfo(id)?.importers ?? []);
          }
          const waiting = [...begun];
          for (let id = waiting.pop(); id; id = waiting.pop()) {
            const needed = this.getModuleInfo(id)?.importedIds.filter((each) => !begun.has(each)) ?? [];
            for (const each of needed) begun.add(each);
            waiting.push(...needed);
          }
        },
      },
    ],
  });
  let entry = '';
  const first: string[] = [];
  try {
    const { output } = await build.generate({
      format: 'es',
      // Libraries' warnings are for whoever develops with them: 0.4 kB.
      minify: { compress: { dropConsole: true, target: 'es2023' }, mangle: true, codegen: true },
      comments: false,
      // By itself, each of fifty small parts becomes a file, which compresses less well, and is one request more.
      codeSplitting: {
        groups: [
          // The board too, with which many visits begin: as a file of its own, it would name each part again that it uses (0.9 kB).
          { name: 'first', test: (id) => begun.has(id) },
          // With what the service's contracts give beyond types: where one screen alone needs it, its file and the screen's would each import the other.
          { name: 'later', test: (id) => CONTRACTS.test(id) || (SMALL_PARTS.test(id) && !LARGE_PARTS.test(id)) },
          ...TOGETHER.map(([name, test]) => ({ name, test, includeDependenciesRecursively: false })),
        ],
      },
      entryFileNames: `${ASSETS}[name]-[hash].js`,
      // A screen's by its folder.
      chunkFileNames: ({ facadeModuleId, name }) =>
        `${ASSETS}${facadeModuleId ? basename(dirname(facadeModuleId)) : name}-[hash].js`,
    });
    for (const file of output) {
      if (file.type !== 'chunk') continue;
      files.set(file.fileName, file.code);
      if (!file.isEntry) continue;
      entry = file.fileName;
      first.push(...file.imports);
    }
  } finally {
    await build.close();
  }
  const font = hashed('inter', '.woff2', await readFile(join(SOURCES, 'styles', 'inter.woff2')));
  const isFirst = (id: string) => styles.get(id)?.some((importer) => begun.has(importer)) ?? false;
  const ids = [...styles.keys()];
  const layers = join(SOURCES, 'styles', 'layers.css');
  const styleSheet = hashed('console', '.css', await styleSheetOf([layers, ...ids.filter(isFirst)], font[0]));
  const otherStyles = hashed(
    'others',
    '.css',
    await styleSheetOf(
      ids.filter((id) => !isFirst(id)),
      font[0],
    ),
  );
  const preloads = [...first];
  const icon = hashed('icon', '.svg', await readFile(join(SOURCES, 'icon.svg')));
  for (const [name, content] of [styleSheet, otherStyles, icon, font]) files.set(name, content);
  first.push(entry, styleSheet[0], icon[0], font[0]);
  // Browsers ask for it again by its name, which therefore never changes; and its folder is all that a worker is told of.
  files.set('worker.js', await workerOf(WORKER));

  const built: ConsoleBuild = {
    folder: DIST,
    page: 'index.html',
    first,
    assets: [...files.keys()].sort(),
  };
  for (const [name, content] of files) await write(name, content);
  await write(
    'manifest.json',
    `${JSON.stringify({ page: built.page, first: built.first, assets: built.assets }, null, 2)}\n`,
  );
  const paths = { styleSheet: styleSheet[0], otherStyles: otherStyles[0], icon: icon[0], font: font[0] };
  await write('index.html', page({ entry, preloads, ...paths }));
  await removeOthers([...built.assets, 'manifest.json', 'index.html']);
  return built;
}

async function workerOf(input: string): Promise<string> {
  await using build = await rolldown({ input, platform: 'browser', transform: { target: 'es2023' } });
  const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
  return output[0].code;
}

/** One sheet of what is shown first, and one of all other screens (src/parts/page/other-styles.ts): together these have fewer bytes than a screen's code. */
async function styleSheetOf(paths: readonly string[], font: string): Promise<Uint8Array> {
  // Sorted, so that the same sources make the same file; layers.css has to be the first.
  const isLayers = (path: string) => (path.endsWith('layers.css') ? 0 : 1);
  const sorted = [...paths].sort((one, other) => isLayers(one) - isLayers(other) || (one < other ? -1 : 1));
  const sheets = await Promise.all(sorted.map((path) => readFile(path, 'utf8')));
  const code = Buffer.from(sheets.join('\n').replace('inter.woff2', BASE + font));
  return transform({ filename: 'console.css', code, minify: true, targets: BROWSERS }).code;
}

function hashed(name: string, extension: string, content: Uint8Array): [name: string, content: Uint8Array] {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return [`${ASSETS}${name}-${hash}${extension}`, content];
}

interface Paths {
  readonly entry: string;
  readonly preloads: readonly string[];
  readonly styleSheet: string;
  readonly otherStyles: string;
  readonly icon: string;
  readonly font: string;
}

/**
 * If none of the page's code has begun after a while, its content is shown (src/styles/base.css). During an upgrade of an installation, a replica may lack the
 * files that another replica's page names.
 */
function page(paths: Paths): string {
  const preloads = paths.preloads.map((path) => `<link rel="modulepreload" href="${BASE}${path}">\n`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>worktrack</title>
<link rel="icon" href="${BASE}${paths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${BASE}${paths.styleSheet}">
<link rel="preload" href="${BASE}${paths.font}" as="font" type="font/woff2" crossorigin>
<link rel="prefetch" href="${BASE}${paths.otherStyles}" as="style">
${preloads}<script type="module" src="${BASE}${paths.entry}"></script>
</head>
<body><div id="console"><p>This page could not be loaded. Please reload it in a moment.</p></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}

async function write(name: string, content: string | Uint8Array): Promise<void> {
  const path = join(DIST, name);
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, content);
  await rename(fresh, path);
}

async function removeOthers(current: readonly string[]): Promise<void> {
  const kept = new Set(current);
  const all = await readdir(DIST, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // What another build is just writing (`write`) is its own to rename.
  const earlier = files.filter((path) => !kept.has(path.slice(DIST.length + 1)) && !/\.\d+$/.test(path));
  await Promise.all(earlier.map((path) => rm(path, { force: true })));
}

if (import.meta.main) console.log(await buildConsole());
