import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines are gathered up to this size: a write for each line took an eighth of the cost of a small response in the gateway. */
const GATHERED_BYTES = 4_096;
const GATHER_MS = 100;
/** What waits while nobody reads the output, or its disk is full; of further lines the number is told once there is room. */
const MAX_WAITING_CHARACTERS = 1_048_576;
/** For somebody who reads slowly, at the end of the process. */
const LAST_TRIES = 100;
const LAST_TRY_EVERY_MS = 10;

/**
 * Gathers lines for a file descriptor. A full disk costs lines and nothing else. The destination of pino itself (sonic-boom 4.2) ends the process at the first
 * line that cannot be written, and then hangs in `flushSync`, trying for ever.
 */
export class LogOutput implements DestinationStream {
  readonly #fd: number;
  #lines = '';
  #dropped = 0;
  /** Taken out of the lines. The rest that one write could not take, or failed on, comes first in the next. */
  #bytes: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #isDue = false;

  constructor(fd: number) {
    this.#fd = fd;
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#lines.length + line.length > MAX_WAITING_CHARACTERS) {
      this.#dropped++;
      return;
    }
    this.#lines += line;
    if (this.#lines.length >= GATHERED_BYTES && this.#bytes.length === 0) this.#flush();
    else this.#flushSoon();
  }

  /** After a fatal line, and when the process ends: what cannot be written now is lost. */
  flushSync(): void {
    let left = Buffer.concat([this.#isWriting ? Buffer.alloc(0) : this.#bytes, Buffer.from(this.#lines)]);
    this.#lines = '';
    if (!this.#isWriting) this.#bytes = Buffer.alloc(0);
    for (let tries = 0; left.length > 0 && tries < LAST_TRIES; ) {
      try {
        left = left.subarray(writeSync(this.#fd, left));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        tries++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_TRY_EVERY_MS);
      }
    }
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#flush();
    }, GATHER_MS).unref();
  }

  #flush(): void {
    if (this.#isWriting) return;
    if (this.#bytes.length === 0) {
      this.#bytes = Buffer.from(this.#lines);
      this.#lines = '';
    }
    if (this.#bytes.length === 0) return;
    this.#isWriting = true;
    write(this.#fd, this.#bytes, (error, written) => {
      this.#isWriting = false;
      this.#bytes = this.#bytes.subarray(error ? 0 : written);
      if (error) this.#flushSoon();
      else {
        if (this.#dropped > 0) this.#tellOfDropped();
        if (this.#bytes.length > 0 || this.#lines.length >= GATHERED_BYTES) this.#flush();
        else if (this.#lines !== '') this.#flushSoon();
      }
    });
  }

  #tellOfDropped(): void {
    const time = new Date().toISOString();
    const [lines, msg] = [this.#dropped, 'Lines are missing here: they could not be written'];
    this.#lines += `${JSON.stringify({ level: 'warn', time, pid: process.pid, lines, msg })}\n`;
    this.#dropped = 0;
  }
}
