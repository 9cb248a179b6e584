import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Atomically writes a file that only its owner can read: it may be read at any moment, and an existing one may have another mode. */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

/** What is kept as JSON in such a file; nothing if there is none yet. */
export function readKept<Kept>(path: string): Partial<Kept> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
