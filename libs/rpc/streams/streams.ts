import type { ErrorValue } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import { nowMs } from '../clock.ts';
import { decodeFrame, encodeFrame } from '../message/frame.ts';

/**
 * Byte streams accompanying a call, for attachments. The call itself goes to its service's queue like any other. From then on its two ends
 * talk only to each other, through their channels' direct reply-to addresses, in frames that contain raw bytes.
 *
 * | upload     client ─ call ─► queue ─► server      download   client ─ call ─► queue ─► server
 * |            client ◄─ open ─ server                          client ◄─ head (the output) ─ server
 * |            client ─ data … end ─► server                    client ◄─ data … end ─ server
 * |            client ◄─ credit ─ server                        client ─ credit ─► server
 * |            client ◄─ done (the output) ─ server
 *
 * Either end may send `abort`. The receiver grants credit, so that a sender is never more than a window ahead of consumption.
 * A stream lives on one channel at each end and ends with either: it is not repeated, because its bytes cannot be requested again.
 */
export const CHUNK_BYTES = 64 * 1024;
/** Chunks in transit or waiting to be consumed: 1 MiB for each stream and end. */
export const WINDOW_CHUNKS = 16;
/** Credit comes in halves of the window: one frame for eight chunks, and the sender need not pause. */
const CREDIT_CHUNKS = WINDOW_CHUNKS / 2;
/**
 * A fraction of the silence limit. The first chunk consumed this long after the last credit triggers the next: half a window may take a slow
 * receiver longer than it may be silent. The sender waits correspondingly longer, so that one chunk within each silence limit is enough.
 */
const CREDIT_AFTER = 1 / 3;

export type StreamFrame =
  | readonly [id: number, kind: 'open']
  | readonly [id: number, kind: 'head', output: unknown]
  /** `index` counts from 0: a gap would mean lost bytes. */
  | readonly [id: number, kind: 'data', index: number]
  | readonly [id: number, kind: 'end', chunks: number]
  | readonly [id: number, kind: 'credit', chunks: number]
  | readonly [id: number, kind: 'done', output: unknown, replayed: boolean]
  | readonly [id: number, kind: 'abort', error: ErrorValue];

export function encodeStreamFrame(frame: StreamFrame, bytes?: Uint8Array): Buffer {
  return encodeFrame(JSON.stringify({ s: frame }), bytes);
}

export interface Received {
  readonly json: unknown;
  readonly frame: StreamFrame | undefined;
  readonly bytes: Buffer;
}

/** Throws on anything but a frame; `frame` is undefined for messages of another kind. */
export function decodeStreamFrame(content: Buffer): Received {
  const { json, bytes } = decodeFrame(content);
  const frame = (json as { s?: unknown }).s;
  if (frame === undefined) return { json, frame: undefined, bytes };
  if (!Array.isArray(frame) || !Number.isSafeInteger(frame[0])) throw new Error('not a stream frame');
  return { json, frame: frame as unknown as StreamFrame, bytes };
}

export function silent(who: string): OperationError {
  return new OperationError('DEADLINE_EXCEEDED', `${who} was silent for too long.`);
}

export function interrupted(): OperationError {
  return new OperationError('UNAVAILABLE', 'The transfer was interrupted. Repeat it with the same key.', {
    retryAfterSeconds: 1,
  });
}

/** Rejects with `late()` when the promise takes longer. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const timer = Promise.withResolvers<never>();
  const handle = setTimeout(() => timer.reject(late()), timeoutMs);
  try {
    return await Promise.race([promise, timer.promise]);
  } finally {
    clearTimeout(handle);
  }
}

/** The receiving end: what has arrived and is not yet consumed, at most a window of it. */
export class Inlet implements AsyncIterable<Buffer> {
  readonly #silenceMs: number;
  readonly #grant: (chunks: number) => void;
  readonly #left: (() => void) | undefined;
  readonly #chunks: Buffer[] = [];
  #received = 0;
  /** Chunks consumed since the last credit. */
  #taken = 0;
  #grantedAtMs = nowMs();
  #ended = false;
  #failure: OperationError | undefined;
  #wake: (() => void) | undefined;

  /**
   * @param silenceMs how long to wait for the next chunk
   * @param grant lets the sender send this many more
   * @param left called when the iteration ends early
   */
  constructor(silenceMs: number, grant: (chunks: number) => void, left?: () => void) {
    this.#silenceMs = silenceMs;
    this.#grant = grant;
    this.#left = left;
  }

  push(index: number, bytes: Buffer): void {
    if (this.#failure || this.#ended) return;
    if (index !== this.#received || this.#chunks.length >= WINDOW_CHUNKS) {
      this.fail(new OperationError('INTERNAL', 'Part of the transfer was lost on the way.'));
      return;
    }
    this.#received++;
    this.#chunks.push(bytes);
    this.#wake?.();
  }

  end(chunks: number): void {
    if (chunks !== this.#received)
      this.fail(new OperationError('INTERNAL', 'Part of the transfer was lost on the way.'));
    this.#ended = true;
    this.#wake?.();
  }

  /** Thrown from the iteration, ahead of chunks that have already arrived: nobody wants the first half of a file. */
  fail(error: OperationError): void {
    if (this.#ended) return;
    this.#failure ??= error;
    this.#chunks.length = 0;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    let whole = false;
    try {
      for (;;) {
        if (this.#failure) throw this.#failure;
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#take();
          yield chunk;
        } else if (this.#ended) {
          whole = true;
          return;
        } else {
          const arrival = Promise.withResolvers<void>();
          this.#wake = arrival.resolve;
          await within(arrival.promise, this.#silenceMs, () => silent('The sender'));
        }
      }
    } finally {
      if (!whole) this.#left?.();
    }
  }

  #take(): void {
    this.#taken++;
    const isDue = this.#taken === CREDIT_CHUNKS || nowMs() - this.#grantedAtMs >= this.#silenceMs * CREDIT_AFTER;
    if (this.#ended || !isDue) return;
    this.#grant(this.#taken);
    this.#taken = 0;
    this.#grantedAtMs = nowMs();
  }
}

/** The sending end: reads from a source as the receiver grants credit. */
export class Outlet {
  readonly #silenceMs: number;
  readonly #send: (kind: 'data' | 'end', index: number, bytes?: Uint8Array) => void;
  #credit = WINDOW_CHUNKS;
  #failure: OperationError | undefined;
  #granted: (() => void) | undefined;
  #interrupt: ((error: OperationError) => void) | undefined;

  /** @param silenceMs how long to wait for the source's next chunk, and for the receiver to consume one */
  constructor(silenceMs: number, send: (kind: 'data' | 'end', index: number, bytes?: Uint8Array) => void) {
    this.#silenceMs = silenceMs;
    this.#send = send;
  }

  grant(chunks: number): void {
    this.#credit += chunks;
    this.#granted?.();
  }

  /** Ends `pump` with this error, whatever it is waiting for. */
  stop(error: OperationError): void {
    this.#failure ??= error;
    this.#interrupt?.(error);
  }

  /** Sends the whole source. If the transfer ends early, the source is closed (`return`, which destroys a Readable). */
  async pump(source: AsyncIterable<Uint8Array>): Promise<void> {
    const iterator = source[Symbol.asyncIterator]();
    let index = 0;
    let whole = false;
    try {
      for (;;) {
        const step = await this.#wait(iterator.next(), 'The source');
        if (step.done) break;
        for (let offset = 0; offset < step.value.length; offset += CHUNK_BYTES) {
          if (this.#credit === 0) await this.#wait(this.#nextGrant(), 'The receiver', 1 + CREDIT_AFTER);
          this.#credit--;
          this.#send('data', index++, step.value.subarray(offset, offset + CHUNK_BYTES));
        }
      }
      this.#send('end', index);
      whole = true;
    } finally {
      // Not awaited: a generator that hangs in its `next` would never return.
      if (!whole) Promise.resolve(iterator.return?.()).catch(() => {});
    }
  }

  #nextGrant(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve;
    });
  }

  /** Not Promise.race against one promise for the whole transfer: it would remember every wait until its end. */
  #wait<T>(promise: Promise<T>, who: string, silences = 1): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#failure) reject(this.#failure);
      const timer = setTimeout(() => reject(silent(who)), this.#silenceMs * silences);
      this.#interrupt = reject;
      promise.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
