/** Monotonic milliseconds of this process. Deadlines are kept on it, so that a step of the wall clock neither kills a call nor keeps it alive. */
export const nowMs = (): number => performance.now();

/** Two oscillators differ by some 50 ppm at most; what is forgotten of a standing queue in return is 1 ms a second. */
const DRIFT_MS_PER_S = 1;
const CLIENTS_MAX = 4096;

/**
 * Reckons how long messages waited on their way here, without a common clock: of a client's messages, the one with the smallest
 * difference between our clock and its own did not wait, and every other waited for as long as its difference is larger. (The minimum
 * filter of NTP and LEDBAT, RFC 6817.) A first message thus counts as one that did not wait, and an item is run too many rather than one too few.
 */
export class WaitEstimator {
  readonly #clients = new Map<string, { offsetMs: number; seenAtMs: number }>();

  /** For how long a message of `client`, sent at `sentAtMs` of its clock and received at `receivedAtMs` of ours, was on its way. */
  waitedMs(client: string, sentAtMs: number, receivedAtMs: number): number {
    const offsetMs = receivedAtMs - sentAtMs;
    const known = this.#clients.get(client);
    if (!known) {
      if (this.#clients.size >= CLIENTS_MAX) this.#forgetOne();
      this.#clients.set(client, { offsetMs, seenAtMs: receivedAtMs });
      return 0;
    }
    const drifted = known.offsetMs + ((receivedAtMs - known.seenAtMs) * DRIFT_MS_PER_S) / 1000;
    known.offsetMs = Math.min(drifted, offsetMs);
    known.seenAtMs = receivedAtMs;
    return offsetMs - known.offsetMs;
  }

  /** Clients come and go with the processes of a fleet. */
  #forgetOne(): void {
    for (const client of this.#clients.keys()) {
      this.#clients.delete(client);
      return;
    }
  }
}

/** No finer than this: deadlines that lie closer together are served by one sweep. */
const SWEEP_EVERY_MS = 5;

/**
 * One timer for the deadlines of many calls. `sweep(now)` ends what is due and returns the next deadline (Infinity for none).
 * Most calls are answered long before, so nothing is kept per call: a sweep looks at all that are open, about once per deadline's length.
 */
export class DeadlineTimer {
  readonly #sweep: (nowMs: number) => number;
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  constructor(sweep: (nowMs: number) => number) {
    this.#sweep = sweep;
  }

  watch(deadlineMs: number): void {
    if (deadlineMs < this.#wakesAtMs) this.#wakeAt(deadlineMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
  }

  #wakeAt(deadlineMs: number): void {
    clearTimeout(this.#timer);
    this.#wakesAtMs = deadlineMs;
    const delayMs = Math.max(SWEEP_EVERY_MS, deadlineMs - nowMs());
    // Beyond 2^31 a timer fires at once.
    this.#timer = setTimeout(() => this.#wake(), Math.min(delayMs, 2 ** 31 - 1)).unref();
  }

  #wake(): void {
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    const next = this.#sweep(nowMs());
    if (next < this.#wakesAtMs) this.#wakeAt(next);
  }
}
