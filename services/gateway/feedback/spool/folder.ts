import { appendFileSync, existsSync, statSync } from 'node:fs';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const FIRST = '1';
const LOCK_FILE = 'lock';
/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** Folders of a spool that this process has for itself. */
export interface Folders {
  /** What is appended goes to the first; the others were left by processes that are gone. */
  readonly paths: readonly string[];
  release(): void;
}

/** Gateways may share the setting, so each takes a folder of its own below it, and with it those that others left. */
export async function takeFolders(root: string): Promise<Folders> {
  await makeFolder(root);
  const base = await realpath(root);
  const locks: DatabaseSync[] = [];
  const paths: string[] = [];
  const there = (await readdir(base)).filter((name) => /^\d+$/.test(name));
  for (const name of there.toSorted((a, b) => Number(a) - Number(b))) {
    const path = join(base, name);
    const lock = hold(path);
    if (lock) locks.push(lock);
    if (lock) paths.push(path);
  }
  for (let number = Number(FIRST); paths.length === 0; number++) {
    const path = join(base, String(number));
    await makeFolder(path);
    const lock = hold(path);
    if (!lock) continue;
    locks.push(lock);
    paths.push(path);
  }
  const release = () => {
    for (const lock of locks) lock.close();
  };
  return { paths, release };
}

/** Node's own `recursive` goes on for ever where a folder is there and nothing can be made in it, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

/**
 * Holds the folder by a lock on a file. The lock ends with its process, in whichever way that ends, and containers see it that share nothing but the folder.
 * Node has no call for it. But SQLite, which is part of Node, holds one as long as an exclusive transaction is open. Nothing is stored, so a full disk does not
 * matter.
 */
function hold(path: string): DatabaseSync | undefined {
  const file = join(path, LOCK_FILE);
  appendFileSync(file, '', { mode: 0o600 });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
