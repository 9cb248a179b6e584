import { LRUCache } from 'lru-cache';

/** Monotonic milliseconds of this process. Deadlines use it, so that a step of the wall clock neither ends nor prolongs a call. */
export const nowMs = (): number => performance.now();

/** Two oscillators differ by at most some 50 ppm; the price is that a standing queue is underestimated by 1 ms per second. */
const DRIFT_MS_PER_S = 1;
const CLIENTS_MAX = 4096;

/**
 * Estimates how long messages were in transit, without a common clock. The message of a client with the smallest difference between our clock and the client's
 * did not wait. Every other one waited by as much as its difference is larger (the minimum filter of NTP and LEDBAT, RFC 6817). A first message thus counts as
 * not having waited, which errs towards running an expired item rather than dropping a live one.
 */
export class WaitEstimator {
  /** Clients come and go with the processes of a fleet. */
  readonly #clients = new LRUCache<string, { offsetMs: number; seenAtMs: number }>({ max: CLIENTS_MAX });

  /** How far the clock of `client` is behind ours, as far as we know. Decreases as more of its messages arrive. */
  offsetMs(client: string): number | undefined {
    return this.#clients.get(client)?.offsetMs;
  }

  /** How long a message from `client`, sent at `sentAtMs` on its clock and received at `receivedAtMs` on ours, was in transit. */
  waitedMs(client: string, sentAtMs: number, receivedAtMs: number): number {
    const offsetMs = receivedAtMs - sentAtMs;
    const seen = this.#clients.get(client);
    if (!seen) {
      this.#clients.set(client, { offsetMs, seenAtMs: receivedAtMs });
      return 0;
    }
    const drifted = seen.offsetMs + ((receivedAtMs - seen.seenAtMs) * DRIFT_MS_PER_S) / 1000;
    seen.offsetMs = Math.min(drifted, offsetMs);
    seen.seenAtMs = receivedAtMs;
    return offsetMs - seen.offsetMs;
  }
}

/** Resolution: one sweep serves deadlines that are closer together. */
const SWEEP_EVERY_MS = 5;

/**
 * One timer for the deadlines of many calls. `sweep(now)` ends what is due and returns the next deadline (Infinity for none).
 * Most calls are answered long before, so there is no state per call: a sweep examines all open ones, about once per deadline's length.
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
    // Beyond 2^31 ms a timer fires immediately.
    this.#timer = setTimeout(() => this.#wake(), Math.min(delayMs, 2 ** 31 - 1)).unref();
  }

  #wake(): void {
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    const next = this.#sweep(nowMs());
    if (next < this.#wakesAtMs) this.#wakeAt(next);
  }
}
