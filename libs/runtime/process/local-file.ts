import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, rename, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Why a path was refused; `message` says what to change. */
export class LocalFileRefused extends Error {}

export interface LocalFile {
  /** With all links resolved. */
  readonly realPath: string;
  readonly sizeBytes: number;
  /** It is in one of the system's temporary folders, whose files nobody keeps. */
  readonly isTemporary: boolean;
  /** Reads the very file that was checked, whatever has happened to its path since. Closes at its end. */
  stream(): NodeJS.ReadableStream & AsyncIterable<Buffer>;
  /**
   * Deletes the path if it still names that file.
   * @returns false if it names a different file by now, which is left alone
   */
  deleteIfSame(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Opens a file for upload, only under `/tmp/` or the working directory.
 * The path is resolved first and then opened once, without following a link. The location of the opened file is then checked, so that a path swapped between
 * the check and the open (CWE-367) is refused. Everything after that uses the descriptor.
 * @param filePath absolute, or relative to `workingDirectory`
 * @throws LocalFileRefused with what to change
 */
export async function openLocalFile(
  filePath: string,
  workingDirectory: string,
  maxSizeBytes: number,
): Promise<LocalFile> {
  if (filePath.includes('\0')) throw new LocalFileRefused('filePath contains a NUL character; pass the plain path.');
  const roots = await realPathsOf(['/tmp', workingDirectory]);
  const realPath = await resolve(path.resolve(workingDirectory, filePath), filePath);
  if (!roots.some((root) => isInside(realPath, root))) {
    throw new LocalFileRefused(
      `${filePath} is not under /tmp/ or the working directory (links are resolved first). Copy the file there and try again.`,
    );
  }
  const handle = await openWithoutLinks(realPath, filePath);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new LocalFileRefused(`${filePath} is not a regular file.`);
    if (stats.size > BigInt(maxSizeBytes)) {
      throw new LocalFileRefused(`${filePath} has ${stats.size} bytes; at most ${maxSizeBytes} can be uploaded.`);
    }
    const openedAt = await whereOpened(handle, realPath);
    if (openedAt !== realPath) throw new LocalFileRefused(`${filePath} was replaced while it was opened. Try again.`);
    const sizeBytes = Number(stats.size);
    const temporary = await realPathsOf(['/tmp', tmpdir()]);
    return {
      realPath,
      sizeBytes,
      isTemporary: temporary.some((folder) => isInside(realPath, folder)),
      // `end` limits a file that grows meanwhile to the size that was checked.
      stream: () => handle.createReadStream({ start: 0, end: Math.max(0, sizeBytes - 1) }),
      deleteIfSame: () => deleteIfSame(realPath, stats.dev, stats.ino),
      close: () => handle.close().catch(() => undefined),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Of those that exist. */
async function realPathsOf(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return found.filter((folder) => folder !== undefined);
}

/**
 * Deletes a file after its upload if that is wanted; if nobody has said, only what is temporary: a file of somebody's work may exist once.
 * @param wanted undefined: not said
 */
export async function deleteUploaded(
  file: LocalFile,
  wanted: boolean | undefined,
): Promise<{ readonly deletedLocalFile: boolean; readonly warnings?: string[] }> {
  const deletedLocalFile = (wanted ?? file.isTemporary) && (await file.deleteIfSame());
  if (wanted !== undefined || file.isTemporary) return { deletedLocalFile };
  const warning = `${file.realPath} was kept, since it is not in a temporary folder. Pass deleteAfterUpload true to delete it.`;
  return { deletedLocalFile, warnings: [warning] };
}

function isInside(file: string, root: string): boolean {
  const relative = path.relative(root, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

async function resolve(absolutePath: string, given: string): Promise<string> {
  try {
    return await realpath(absolutePath);
  } catch (error) {
    throw new LocalFileRefused(`${given} cannot be read (${codeOf(error)}). Check the path and its permissions.`);
  }
}

async function openWithoutLinks(realPath: string, given: string): Promise<FileHandle> {
  try {
    // O_NONBLOCK: opening a named pipe would otherwise block until somebody writes to it.
    return await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new LocalFileRefused(`${given} cannot be opened (${codeOf(error)}). Check the path and its permissions.`);
  }
}

/** The real location of the opened descriptor: O_NOFOLLOW applies only to the last component, not to the folders above it. */
async function whereOpened(handle: FileHandle, realPath: string): Promise<string | undefined> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`);
  const [opened, named] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(realPath, { bigint: true }).catch(() => undefined),
  ]);
  return named && named.dev === opened.dev && named.ino === opened.ino
    ? await realpath(realPath).catch(() => undefined)
    : undefined;
}

/** Moves the path aside before checking it: between a check and an unlink somebody could put another file in its place. */
async function deleteIfSame(realPath: string, dev: bigint, ino: bigint): Promise<boolean> {
  const aside = path.join(path.dirname(realPath), `.${path.basename(realPath)}.${randomUUID()}.uploaded`);
  try {
    await rename(realPath, aside);
  } catch {
    return false;
  }
  const stats = await lstat(aside, { bigint: true });
  if (stats.dev === dev && stats.ino === ino) {
    await unlink(aside);
    return true;
  }
  await rename(aside, realPath);
  return false;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
