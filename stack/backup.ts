import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { runningStack, takeDataDir } from './data-dir.ts';
import { makeDirectory, makePrivateDirectory } from './files/make-directory.ts';
import { writePrivate } from './files/private-file.ts';
import { whileFrozen } from './processes/frozen.ts';
import type { Progress } from './report/progress.ts';
import { StartError } from './report/start-error.ts';
import { readStackFile } from './stack-file.ts';

/** In the data directory: changed by each backup, so that owners see when the last one was. */
export const LAST_BACKUP = 'last-backup';
/** Files of a running stack, or of its last run: nothing that the next one needs. */
const LEFT_OUT = ['lock', 'run', 'stack.json', 'logs', 'prometheus', LAST_BACKUP];

/**
 * Packs everything that a stack keeps into one file, for its owner only: databases, waiting messages, secrets, passwords. One that runs is paused as long as copying its files
 * takes: calls wait that long, and all that was answered before is in the copy.
 */
export async function backUp(dataDir: string, file: string, progress: Progress): Promise<void> {
  const path = resolve(dataDir);
  if (!existsSync(join(path, 'secrets.json'))) throw new StartError(`${path} is not the data directory of a stack.`);
  const target = resolve(file);
  if (existsSync(target)) throw isThere(target);
  makeDirectory(dirname(target));
  if (runningStack(path)) await backUpRunning(path, target, progress);
  else {
    // Locked, so that no stack starts on it meanwhile.
    const taken = takeDataDir(path);
    try {
      await pack(path, target, progress);
    } finally {
      taken.release();
    }
  }
  writePrivate(join(path, LAST_BACKUP), '');
  progress.line(`${target} contains all of ${path}, including the secrets: keep it as safe as those.`);
}

async function backUpRunning(path: string, target: string, progress: Progress): Promise<void> {
  const { pids } = readStackFile(path);
  const { mongodb, rabbitmq, redis, gateway, keys, workitems, feedback, events } = pids;
  if (mongodb === undefined) {
    throw new StartError('This stack uses a database that it does not run itself. Back that up with its own tools.');
  }
  const copy = `${target}.copy`;
  rmSync(copy, { recursive: true, force: true });
  makePrivateDirectory(copy);
  try {
    // The database before the queues: what is in a queue leaves the database afterwards, and what is taken from one is stored before, so nothing is in neither copy.
    const servers = [mongodb, rabbitmq, redis].filter((pid) => pid !== undefined);
    const services = [gateway, keys, workitems, feedback, events].flat();
    await progress.step('Copying, while the stack is paused', () =>
      whileFrozen([...services, ...servers], () =>
        cp(path, copy, { ...AS_IT_IS, filter: (from) => isKept(path, from) }),
      ),
    );
    await pack(copy, target, progress);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Blocks are shared with the original, where the file system can. */
const AS_IT_IS = { recursive: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE } as const;

function isKept(path: string, from: string): boolean {
  const [top = ''] = relative(path, from).split(sep);
  return !LEFT_OUT.includes(top) && (lstatSync(from).isFile() || lstatSync(from).isDirectory());
}

async function pack(path: string, target: string, progress: Progress): Promise<void> {
  const unfinished = `${target}.new`;
  rmSync(unfinished, { force: true });
  const output = openSync(unfinished, 'wx', 0o600);
  try {
    try {
      const leftOut = LEFT_OUT.map((name) => `--exclude=./${name}`);
      await progress.step('Packing', () => tar(['-cz', '-C', path, ...leftOut, '.'], output));
      fsyncSync(output);
    } finally {
      closeSync(output);
    }
    // Unlike a renaming, never over a file that has appeared meanwhile.
    linkSync(unfinished, target);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? isThere(target) : error;
  } finally {
    rmSync(unfinished);
  }
}

const isThere = (target: string) =>
  new StartError(
    `${target} is there already, and a backup is never overwritten. Choose another name, or move it away.`,
  );

/** Unpacks such a file into a data directory that is still empty. */
export async function restore(file: string, dataDir: string, progress: Progress): Promise<void> {
  const path = resolve(dataDir);
  if (runningStack(path)) throw new StartError(`A stack is running on ${path}. Stop it, or choose another folder.`);
  if (existsSync(path) && readdirSync(path).length > 0) {
    throw new StartError(
      `${path} is not empty. Move its contents elsewhere, or choose another folder with --data-dir.`,
    );
  }
  if (!existsSync(file)) throw new StartError(`There is no file ${resolve(file)}.`);
  makePrivateDirectory(path);
  try {
    await progress.step('Restoring', () => tar(['-xz', '-p', '-C', path, '-f', resolve(file)]));
    if (!existsSync(join(path, 'secrets.json'))) throw new StartError(`${resolve(file)} is not a backup of a stack.`);
  } catch (error) {
    for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
    throw error;
  }
  progress.line(`${path} is as it was when ${resolve(file)} was made.`);
}

/** @param output takes the archive; by default there is none */
function tar(args: readonly string[], output?: number): Promise<void> {
  return new Promise((done, fail) => {
    let complaint = '';
    const child = spawn('tar', args, { stdio: ['ignore', output ?? 'ignore', 'pipe'] });
    child.stderr?.on('data', (data) => (complaint += data));
    child.once('error', (error) => fail(new StartError(`tar cannot be run: ${error.message}`)));
    child.once('close', (code) =>
      code === 0 ? done() : fail(new StartError(`tar ended with code ${code}: ${complaint.trim()}`)),
    );
  });
}
