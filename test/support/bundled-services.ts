import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { REPOSITORY, SERVICES, type ServiceName } from '@worktrack/stack/layout';
import { type OutputChunk, rolldown } from 'rolldown';

/** The same in each run: what Node has compiled of them is found again. */
const FOLDER = join(REPOSITORY, 'node_modules', '.cache', 'services-of-tests');
/** Refuses what MongoDB would refuse (watch.ts), in the mongoose that the service uses. */
const WATCHED = fileURLToPath(new URL('../mongodb/watched-service.ts', import.meta.url));
const OUR_ADDRESS = 'import.meta.url';
/** It lets go of 20 MiB, which no test misses, by collections that are a sixth of a start. What Node has compiled is still kept. */
const RELEASE = join(REPOSITORY, 'libs', 'runtime', 'process', 'release-startup-memory.ts');

/** What Node is given. With that much room for new objects from the beginning, a start has fewer collections: another seventh of it. The gateway does not use the database, and is not watched. */
export const bundled = (service: ServiceName): readonly string[] => [
  '--min-semi-space-size=8',
  join(FOLDER, `${service}.mjs`),
];

/**
 * Bundles the services. A run starts hundreds of processes, and finding and linking the thousand modules of each took half of its start. A start now takes 0.3
 * s of CPU instead of 0.7 s, for 3 s of CPU once. Files appear whole, and the services last, since another run may be starting some.
 */
export async function bundleServices(): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(SERVICES.map((service) => [service, `${service}:`])),
    platform: 'node',
    cwd: REPOSITORY,
    onLog(_, { code, message }) {
      // It would fail only where it is used.
      if (code === 'UNRESOLVED_IMPORT' && !/node_modules/.test(message)) throw new Error(message);
    },
    plugins: [
      {
        name: 'services',
        resolveId: (id) => (SERVICES.some((service) => id === `${service}:`) ? id : null),
        load(id) {
          if (id === RELEASE) return `export { flushCompileCache as releaseStartupMemory } from 'node:module';`;
          const service = SERVICES.find((name) => id === `${name}:`);
          if (!service) return null;
          const main = join(REPOSITORY, 'services', service, 'main.ts');
          return (service === 'gateway' ? [main] : [WATCHED, main])
            .map((path) => `import ${JSON.stringify(path)};`)
            .join('\n');
        },
        transform: {
          filter: { code: OUR_ADDRESS, id: /\.ts$/ },
          // Beside the sources is what they read.
          handler: (code, id) => code.replaceAll(OUR_ADDRESS, JSON.stringify(pathToFileURL(id).href)),
        },
      },
    ],
  });
  const { output } = await build.generate({ entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await build.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  mkdirSync(FOLDER, { recursive: true });
  for (const { fileName, code } of chunks.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry))) {
    const fresh = join(FOLDER, `${fileName}.${process.pid}`);
    writeFileSync(fresh, code);
    renameSync(fresh, join(FOLDER, fileName));
  }
  const current = new Set(chunks.map(({ fileName }) => fileName));
  for (const name of readdirSync(FOLDER)) if (!current.has(name)) rmSync(join(FOLDER, name), { force: true });
}
