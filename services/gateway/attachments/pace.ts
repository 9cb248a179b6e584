import { OperationError } from '@worktrack/contracts/errors';

const LEAST_BYTES_PER_S = 16 * 1024;
const WINDOW_S = 30;
const TOO_SLOW = `fewer than ${LEAST_BYTES_PER_S / 1024} KiB per second over ${WINDOW_S} s`;

/**
 * Ends a transfer whose client is too slow, because a transfer holds one of few places. Only time in which the client is waited for counts:
 * an honest one never pays for a slow service.
 */
class Pace {
  readonly #tooSlow: () => void;
  /** In this window. */
  #waitedMs = 0;
  #bytes = 0;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tooSlow: () => void) {
    this.#tooSlow = tooSlow;
  }

  /** From now on the client is waited for. */
  wait(): void {
    this.#sinceMs = performance.now();
    this.#timer = setTimeout(() => this.#endWindow(), Math.max(0, WINDOW_S * 1_000 - this.#waitedMs));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waitedMs += performance.now() - this.#sinceMs;
  }

  /** The client has sent, or taken, this many bytes. */
  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  #endWindow(): void {
    if (this.#bytes < LEAST_BYTES_PER_S * WINDOW_S) {
      this.#tooSlow();
      return;
    }
    this.#waitedMs = 0;
    this.#bytes = 0;
    this.wait();
  }
}

/** What a client sends. @throws OperationError VALIDATION_FAILED if it is too slow */
export async function* sentInTime(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const iterator = bytes[Symbol.asyncIterator]();
  let fail: (error: OperationError) => void = () => {};
  const pace = new Pace(() =>
    fail(new OperationError('VALIDATION_FAILED', `The upload is too slow: ${TOO_SLOW}. Send it again, faster.`)),
  );
  try {
    for (;;) {
      pace.wait();
      const { done, value } = await new Promise<IteratorResult<Buffer, void>>((resolve, reject) => {
        fail = reject;
        iterator.next().then(resolve, reject);
      }).finally(() => pace.stop());
      if (done) return;
      pace.moved(value.length);
      yield value;
    }
  } finally {
    // Not awaited: it ends only with the client's next bytes.
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** What a client takes. @param tooSlow ends the download, whose iteration is suspended then */
export async function* takenInTime(
  bytes: AsyncIterable<Buffer>,
  tooSlow: (error: Error) => void,
): AsyncGenerator<Buffer, void> {
  const pace = new Pace(() => tooSlow(new Error(`The client takes ${TOO_SLOW}.`)));
  for await (const chunk of bytes) {
    pace.wait();
    try {
      yield chunk;
    } finally {
      pace.stop();
    }
    pace.moved(chunk.length);
  }
}
