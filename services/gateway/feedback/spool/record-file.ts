import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Before each record: its length and its checksum (CRC-32), both unsigned, little-endian. */
const HEAD_BYTES = 8;
/** Above the longest submission: what the public routes accept as a body, and what the gateway adds. */
const MAX_RECORD_BYTES = 128 * 1024;

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
  readonly #file: FileHandle;
  readonly #placeFile: string;
  readonly #maxBytes: number;
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
    maxBytes: number,
    found: { readonly end: number; readonly place: number; readonly length: number },
  ) {
    this.#file = file;
    this.#placeFile = placeFile;
    this.#maxBytes = maxBytes;
    this.#endBytes = found.end;
    this.#placeBytes = found.place;
    this.#length = found.length;
  }

  static async open(path: string, maxBytes: number): Promise<RecordFile> {
    const file = await open(path, 'a+', 0o600);
    await file.chmod(0o600);
    const bytes = await readFile(path);
    const { end } = wholeRecords(bytes, 0);
    await file.truncate(end);
    const placeFile = `${path}.place`;
    const noted = Number(await readFile(placeFile, 'utf8').catch(() => '0'));
    const place = noted <= end ? noted : 0;
    return new RecordFile(file, placeFile, maxBytes, { end, place, length: wholeRecords(bytes, place).count });
  }

  /** How many have not been dealt with. */
  get length(): number {
    return this.#length;
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

  /** The next ones that have not been dealt with. */
  async next(count: number): Promise<readonly string[]> {
    const bytes = Buffer.alloc(Math.min(this.#endBytes - this.#placeBytes, count * MAX_RECORD_BYTES));
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
      if (this.#placeBytes < this.#endBytes) {
        await writeFile(this.#placeFile, String(this.#placeBytes), { mode: 0o600 });
      } else {
        // First the place: without one, everything in the file is dealt with again, which does no harm.
        await rm(this.#placeFile, { force: true });
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
      if (this.#endBytes + bytes.length > this.#maxBytes) throw new FileFull('The limit has been reached.');
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

function wholeRecords(bytes: Buffer, from: number): { readonly end: number; readonly count: number } {
  let end = from;
  let count = 0;
  for (let record = recordAt(bytes, end); record; record = recordAt(bytes, end)) {
    end += HEAD_BYTES + record.length;
    count++;
  }
  return { end, count };
}
