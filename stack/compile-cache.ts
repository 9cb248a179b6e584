import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY, SERVICES } from './layout.ts';

/**
 * Where Node keeps the compiled form of the services (NODE_COMPILE_CACHE): a start with it takes half the time, and no process loads what strips
 * the types, which stays resident with some 20 MB.
 */
export const COMPILE_CACHE = join(REPOSITORY, 'node_modules', '.cache', 'node');

/**
 * Fills an empty compile cache, while the servers start: each service, run without any settings, loads and compiles everything and then ends,
 * because its configuration is missing.
 */
export async function fillCompileCache(): Promise<void> {
  if (existsSync(COMPILE_CACHE)) return;
  await Promise.all(
    SERVICES.map(
      (service) =>
        new Promise<void>((resolve) => {
          const run = spawn(process.execPath, [join(REPOSITORY, 'services', service, 'main.ts')], {
            env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
            stdio: 'ignore',
          });
          // Whatever goes wrong here shows, with its reason, when the service is started for good.
          run.once('error', () => resolve());
          run.once('exit', () => resolve());
        }),
    ),
  );
}
