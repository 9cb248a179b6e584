import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const NAME = 'worktrack.mjs';
/** What the documentation shows of an operation, as formatted by Biome. */
const EXAMPLE = /^ {2}example: (?:\{\n[\s\S]*?^ {2}\}|.*),$/gm;
const BANNER = `#!/usr/bin/env node
// The worktrack command, with @modelcontextprotocol/server, commander, env-paths, eventsource-parser, fastest-levenshtein, string-width and zod: all under the MIT License.`;

/**
 * Bundles the command into one file that runs on Node 20 and newer with nothing installed, next to its hash in the format of `sha256sum --check`.
 * The gateway serves both. They are written atomically, since a gateway may be reading them.
 */
export async function buildOneFile(): Promise<void> {
  const code = await bundle();
  const hash = createHash('sha256').update(code).digest('hex');
  await mkdir(DIST, { recursive: true });
  for (const [file, content] of [
    [NAME, code],
    [`${NAME}.sha256`, `${hash}  ${NAME}\n`],
  ] as const) {
    const fresh = join(DIST, `${file}.${process.pid}`);
    await writeFile(fresh, content);
    await rename(fresh, join(DIST, file));
  }
}

async function bundle(): Promise<string> {
  const build = await rolldown({
    input: join(HERE, 'main.ts'),
    platform: 'node',
    transform: { target: 'node20' },
    treeshake: { moduleSideEffects: (id) => !id.includes('@modelcontextprotocol') },
    plugins: [
      {
        // Half of the size, and not needed here: the validation of responses from a client that is asked for nothing, and the SDK's other kind of server.
        name: 'without-what-the-bridge-does-not-use',
        load: (id) => (/[/\\]ajvProvider[^/\\]*\.mjs$/.test(id) ? NO_AJV : null),
        transform(code, id) {
          if (!/@modelcontextprotocol[/\\]server[/\\]dist[/\\]stdio\.mjs$/.test(id)) return null;
          if (!code.includes(OTHER_SERVER))
            throw new Error(`${id} is of another version: check what it requires of a server.`);
          return code.replace(OTHER_SERVER, 'product');
        },
      },
      {
        name: 'without-examples',
        transform: (code, id) => (/[/\\]contracts[/\\]/.test(id) ? code.replaceAll(EXAMPLE, '') : null),
      },
    ],
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      minify: true,
      comments: false,
      codeSplitting: false,
      banner: BANNER,
    });
    return output[0].code;
  } finally {
    await build.close();
  }
}

const OTHER_SERVER = 'product instanceof McpServer ? product.server : product';
const NO_AJV =
  'class None { getValidator() { throw new Error("There is no validator."); } } export { None as n, None as r, None as t };';

if (import.meta.main) await buildOneFile();
