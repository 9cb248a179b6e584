import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Atomically writes a file that only its owner can read: it may be read at any moment, and an existing one may have another mode. */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
