import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run bench -- <name> [--] [arguments]` runs `<name>.bench.ts`, which prints a table with all sides from one run. */
const name = process.argv[2] ?? '';
const file = join(import.meta.dirname, `${name}.bench.ts`);

if (/^[a-z-]+$/.test(name) && existsSync(file)) {
  process.argv.splice(2, process.argv[3] === '--' ? 2 : 1);
  await import(file);
} else {
  const names = globSync('*.bench.ts', { cwd: import.meta.dirname }).map((path) => path.replace('.bench.ts', ''));
  console.error(`npm run bench -- <name>, with one of: ${names.toSorted().join(', ')}`);
  process.exitCode = 1;
}
