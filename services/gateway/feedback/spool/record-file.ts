import { appendFile, type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** Before each record: its length and its checksum (CRC-32), both unsigned, little-endian. */
const HEAD_BYTES = 8;
/** More than the longest submission: the largest body that the public routes accept, and the gateway's additions. */
const MAX_RECORD_BYTES = 128 * 1024;
/** Many of usual length, at least one of the longest. */
const READ_BYTES = 256 * 1024;

interface Queued {
  readonly bytes: Buffer;
  readonly done: PromiseWithResolvers<void>;
}

/** There is no room for more, by the limit or on the disk. */
export class FileFull extends Error {}

/**
 * Records in the order in which they were appended, each on the disk before `append` resolves: what is appended at the same time shares one write and one
 * fsync. What a process that was killed left half-written at the end was never acknowledged, and is cut off.
 */
export class RecordFile {
  /** What could not be read between whole records when it was opened; it is kept in `<path>.damaged`. */
  readonly damagedBytes: number;
  readonly #file: FileHandle;
  readonly #placeFile: string;
  readonly #maxBytes: () => number;
  /** Everything before is whole and on the disk. */
  #endBytes: number;
  /** Everything before has been dealt with. */
  #placeBytes: number;
  #length: number;
  #waiting: Queued[] = [];
  #noting: PromiseWithResolvers<void> | undefined;
  #isBusy = false;

  private constructor(
    file: FileHandle,
    placeFile: string,
    maxBytes: () => number,
    found: { readonly end: number; readonly place: number; readonly length: number; readonly damagedBytes: number },
  ) {
    this.damagedBytes = found.damagedBytes;
    this.#file = file;
    this.#placeFile = placeFile;
    this.#maxBytes = maxBytes;
    this.#endBytes = found.end;
    this.#placeBytes = found.place;
    this.#length = found.length;
  }

  /**
   * @param maxBytes how large the file may become; asked before each write
   * @param found is told of each record that has not been dealt with
   */
  static async open(
    path: string,
    maxBytes: () => number,
    found: (record: string) => void = () => {},
  ): Promise<RecordFile> {
    await appendFile(path, '', { mode: 0o600 });
    const bytes = await readFile(path);
    const { starts, end, damaged } = survey(bytes);
    const placeFile = `${path}.place`;
    const noted = Number(await readFile(placeFile, 'utf8').catch(() => '0'));
    // Anything else is of an earlier content of the file: dealing with a record again does no harm, passing one over would.
    const place = noted === end || starts.includes(noted) ? noted : 0;
    const rest = starts.filter((start) => start >= place);
    for (const start of rest) found(String(wholeAt(bytes, start).subarray(HEAD_BYTES)));
    if (damaged.length > 0) {
      await rm(placeFile, { force: true });
      await replace(path, Buffer.concat(rest.map((start) => wholeAt(bytes, start))), Buffer.concat(damaged));
    }
    const file = await open(path, 'a+', 0o600);
    await file.chmod(0o600);
    await syncFolderOf(path);
    const bounds = damaged.length > 0 ? { end: (await file.stat()).size, place: 0 } : { end, place };
    await file.truncate(bounds.end);
    const damagedBytes = damaged.reduce((sum, { length }) => sum + length, 0);
    return new RecordFile(file, placeFile, maxBytes, { ...bounds, length: rest.length, damagedBytes });
  }

  /** How many have not been dealt with. */
  get length(): number {
    return this.#length;
  }

  get sizeBytes(): number {
    return this.#endBytes;
  }

  /** Resolves once it is on the disk. @throws FileFull */
  append(record: string): Promise<void> {
    const body = Buffer.from(record);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(body.length, 0);
    head.writeUInt32LE(crc32(body), 4);
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ bytes: Buffer.concat([head, body]), done });
    void this.#work();
    return done.promise;
  }

  /** The next ones that have not been dealt with: as many as are read at once, one at least. */
  async next(count: number): Promise<readonly string[]> {
    const bytes = Buffer.alloc(Math.min(this.#endBytes - this.#placeBytes, READ_BYTES));
    await this.#file.read(bytes, 0, bytes.length, this.#placeBytes);
    const records: string[] = [];
    let at = 0;
    for (let record = recordAt(bytes, at); record && records.length < count; record = recordAt(bytes, at)) {
      records.push(record.toString());
      at += HEAD_BYTES + record.length;
    }
    return records;
  }

  /** What `next` returned. A file with nothing else is emptied. */
  async dealtWith(records: readonly string[]): Promise<void> {
    for (const record of records) this.#placeBytes += HEAD_BYTES + Buffer.byteLength(record);
    this.#length -= records.length;
    this.#noting ??= Promise.withResolvers();
    const { promise } = this.#noting;
    void this.#work();
    await promise;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** One thing at a time. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length > 0 || this.#noting) {
      if (this.#noting) await this.#notePlace(this.#noting);
      else await this.#writeGroup();
    }
    this.#isBusy = false;
  }

  async #notePlace(noting: PromiseWithResolvers<void>): Promise<void> {
    this.#noting = undefined;
    try {
      // Without a place, for which a full disk has no room, everything in the file is dealt with again, which does no harm.
      if (this.#placeBytes < this.#endBytes) {
        await writeFile(this.#placeFile, String(this.#placeBytes), { mode: 0o600 }).catch(() => {});
      } else {
        // The place is removed first, also on the disk: it must not be applied to the file's next content.
        await rm(this.#placeFile, { force: true });
        await syncFolderOf(this.#placeFile);
        await this.#file.truncate(0);
        await this.#file.datasync();
        this.#endBytes = 0;
        this.#placeBytes = 0;
      }
      noting.resolve();
    } catch (error) {
      noting.reject(error);
    }
  }

  async #writeGroup(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    const bytes = Buffer.concat(group.map((each) => each.bytes));
    try {
      if (this.#endBytes + bytes.length > this.#maxBytes()) throw new FileFull('The limit has been reached.');
      // Whatever an attempt that failed has left.
      await this.#file.truncate(this.#endBytes);
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
      this.#endBytes += bytes.length;
      this.#length += group.length;
      for (const { done } of group) done.resolve();
    } catch (error) {
      const isFull = error instanceof FileFull || (error as NodeJS.ErrnoException).code === 'ENOSPC';
      for (const { done } of group) done.reject(isFull ? new FileFull('There is no room.', { cause: error }) : error);
    }
  }
}

/** @returns undefined if there is no whole one */
function recordAt(bytes: Buffer, at: number): Buffer | undefined {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const record = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
  if (length === 0 || length > MAX_RECORD_BYTES || record.length < length) return undefined;
  return crc32(record) === bytes.readUInt32LE(at + 4) ? record : undefined;
}

function wholeAt(bytes: Buffer, start: number): Buffer {
  return bytes.subarray(start, start + HEAD_BYTES + bytes.readUInt32LE(start));
}

/** @returns where whole records begin, where the last one ends, and what is not one before that */
function survey(bytes: Buffer) {
  const starts: number[] = [];
  const damaged: Buffer[] = [];
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    if (!recordAt(bytes, at)) {
      at++;
      continue;
    }
    if (at > end) damaged.push(bytes.subarray(end, at));
    starts.push(at);
    at += wholeAt(bytes, at).length;
    end = at;
  }
  return { starts, end, damaged };
}

/** What was damaged is on the disk before the file is without it. */
async function replace(path: string, content: Buffer, damaged: Buffer): Promise<void> {
  await appendFile(`${path}.damaged`, damaged, { mode: 0o600, flush: true });
  await writeFile(`${path}.new`, content, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** So that what was made or removed in it is so after a loss of power, too. */
async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
