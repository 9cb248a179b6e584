import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file that its owner alone may read, in one step: others may read it at any moment, and what is there may have another mode. */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
