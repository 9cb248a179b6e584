import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const NAME = 'worktrack.mjs';
/** What only the service and the documentation need of an operation, as formatted by Biome: each of these properties up to the next one. */
const UNUSED =
  /^ {2}(?:summary|example|output|errors|permissions|mcp|roles|rolesFor|ofOrganization|deadlineMs|lane):\s[\s\S]*?(?=^ {2}\w|^\})/gm;
/** What no JSON Schema says is looked at by the service. Those that begin a line, as formatted by Biome. */
const REFINEMENT = /^( +)\.(?:superR|r)efine\((?:.+|\n[\s\S]*?\n\1)\)(?=[,;]?$)/gm;
/** Of the contracts, what other schemas are made of. */
const SCHEMAS = [
  ...[
    'Id',
    'RecordId',
    'Timestamp',
    'ItemRef',
    'ColumnRef',
    'ProjectId',
    'DayOrTime',
    'ColumnRole',
    'several',
    'oneLine',
  ],
  ...[
    'Board',
    'columnList',
    'projectFields',
    'itemFields',
    'labelFields',
    'Project',
    'Gates',
    'DependencyMet',
    'WorkItem',
    'WorkItemSummary',
    'WrittenItem',
    'Pagination',
    'FeedbackItem',
  ],
];
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
    input: join(HERE, '../one-file-main.ts'),
    platform: 'node',
    external: ['js-yaml'],
    transform: { target: 'node20' },
    treeshake: {
      moduleSideEffects: (id) => !/@modelcontextprotocol|[/\\]contracts[/\\]/.test(id),
      // Schemas that nothing uses once what only the service needs is gone.
      propertyReadSideEffects: false,
      manualPureFunctions: ['z', ...SCHEMAS],
    },
    plugins: [
      {
        // Half of the size, and not needed here: the validation of a client's responses, as nothing is asked of the client, and the SDK's other server with its
        // HTTP transport.
        name: 'without-what-the-bridge-does-not-use',
        load: (id) => (/[/\\]ajvProvider[^/\\]*\.mjs$/.test(id) ? NO_AJV : null),
        transform(code, id) {
          const unused = UNUSED_OF_SDK.find(({ file }) => file.test(id));
          if (!unused) return null;
          if (!code.includes(unused.code))
            throw new Error(`${id} is of another version: check what it requires of a server.`);
          return code.replace(unused.code, unused.instead);
        },
      },
      {
        name: 'without-what-the-service-needs',
        transform: (code, id) => (/[/\\]contracts[/\\]/.test(id) ? withoutUnused(code) : null),
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

/** Without refinements, and in declarations of operations without the fields that only the service needs. */
function withoutUnused(code: string): string {
  return code
    .replaceAll(REFINEMENT, '')
    .replaceAll(/^(?:export const \w+ = operation\(\{|const common = \{)$[\s\S]*?^\}/gm, (declaration) =>
      declaration.replaceAll(UNUSED, ''),
    );
}

const UNUSED_OF_SDK = [
  {
    file: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]stdio\.mjs$/,
    code: 'product instanceof McpServer ? product.server : product',
    instead: 'product',
  },
  {
    file: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]mcp-[^/\\]*\.mjs$/,
    code: 'transport instanceof PerRequestHTTPServerTransport ? readClassification(transport) : void 0',
    instead: 'void 0',
  },
  {
    // Checks of every type of the protocol and of OAuth by its name, for whoever asks for one.
    file: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]src-[^/\\]*\.mjs$/,
    code: 'for (const key of SPEC_SCHEMA_KEYS) register(key, schemas_exports[key]);\nfor (const [key, schema] of Object.entries(authSchemas)) register(key, schema);',
    instead: '',
  },
];
const NO_AJV =
  'class None { getValidator() { throw new Error("There is no validator."); } } export { None as n, None as r, None as t };';

if (import.meta.main) await buildOneFile();
