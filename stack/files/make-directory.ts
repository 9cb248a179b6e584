import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory, and any missing parents, accessible only to this user. Not with mkdirSync's `recursive`, which retries endlessly if
 * a file system refuses with ENOENT although the parent exists, as /proc does.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Creates a directory that nobody else can read, correcting the mode if it already exists. */
export function makePrivateDirectory(path: string): void {
  makeDirectory(path);
  chmodSync(path, 0o700);
}
