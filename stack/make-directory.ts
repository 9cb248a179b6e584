import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and what is missing above it, for this user alone. Not by `recursive` of mkdirSync: it tries without end where
 * a file system refuses with ENOENT though the parent is there, as /proc does.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Makes a directory of ours that nobody else may look into, also where it is there with another mode. */
export function makePrivateDirectory(path: string): void {
  makeDirectory(path);
  chmodSync(path, 0o700);
}
