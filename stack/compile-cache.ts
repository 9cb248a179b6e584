import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY, SERVICES } from './layout.ts';
import { runToEnd } from './processes/run-to-end.ts';

/**
 * Where Node stores the compiled services (NODE_COMPILE_CACHE): this halves the startup time, and no process loads the type
 * stripper, which stays resident with some 20 MB.
 */
export const COMPILE_CACHE = join(REPOSITORY, 'node_modules', '.cache', 'node');

/**
 * Fills an empty compile cache while the servers start: each service, run without settings, loads and compiles everything and then exits,
 * because its configuration is missing.
 */
export async function fillCompileCache(): Promise<void> {
  if (existsSync(COMPILE_CACHE)) return;
  // Anything that goes wrong here will show, with its reason, when the service is actually started.
  await Promise.all(
    SERVICES.map((service) =>
      runToEnd(process.execPath, [join(REPOSITORY, 'services', service, 'main.ts')], {
        NODE_COMPILE_CACHE: COMPILE_CACHE,
      }),
    ),
  );
}
