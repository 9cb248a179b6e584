import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from './files/make-directory.ts';
import { stopCommand } from './options.ts';
import { isRunning, type ProcessIdentity, processIdentity } from './processes/process-identity.ts';
import { StartError } from './report/start-error.ts';

/** A data directory that only this process uses, until `release`. */
export interface DataDir {
  readonly path: string;
  release(): void;
}

const lockOf = (path: string) => join(path, 'lock');

/** Two stacks in one directory would destroy each other's data. Takes over from a stack that was killed. */
export function takeDataDir(given: string): DataDir {
  const path = resolve(given);
  makeFolder(path, 'run');
  const self = processIdentity(process.pid);
  const own = join(path, 'run', `lock.${process.pid}`);
  writeFileSync(own, JSON.stringify(self), { mode: 0o600 });
  try {
    for (;;) {
      if (link(own, lockOf(path))) break;
      const lock = readLock(path);
      const holder = parse(lock);
      if (holder && isRunning(holder)) {
        throw new StartError(
          `The data directory ${path} is in use by another stack (process ${holder.pid}). Stop that one with ${stopCommand(given)}, or choose another with --data-dir.`,
        );
      }
      removeStaleLock(path, lock);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return { path, release: () => rmSync(lockOf(path), { force: true }) };
}

/** Creates a folder in a data directory, and the directory itself if missing. @returns its path */
export function makeFolder(dataDir: string, name: string): string {
  const folder = join(dataDir, name);
  try {
    makeDirectory(folder);
  } catch (error) {
    throw new StartError(`The data directory ${dataDir} cannot be created: ${(error as Error).message}`);
  }
  return folder;
}

/** @returns the process of the stack that uses the directory, or undefined */
export function runningStack(given: string): ProcessIdentity | undefined {
  const holder = parse(readLock(resolve(given)));
  return holder && isRunning(holder) ? holder : undefined;
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(lockOf(path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(lock: string | undefined): ProcessIdentity | undefined {
  try {
    return JSON.parse(lock ?? '') as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** Another stack may take over at the same moment: the lock that was moved away is checked, and put back if it is no longer the stale one. */
function removeStaleLock(path: string, stale: string | undefined): void {
  const moved = join(path, 'run', `stale.${process.pid}`);
  try {
    renameSync(lockOf(path), moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(moved, 'utf8') !== stale) link(moved, lockOf(path));
  rmSync(moved, { force: true });
}
