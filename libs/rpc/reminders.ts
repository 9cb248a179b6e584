import { nowMs } from './clock.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** When to log that something is away: at once, then ever more rarely. A node of a cluster may be away for days, and each channel to it says so. */
export class Reminders {
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #everyMs = FIRST_MS;

  isDue(atMs = nowMs()): boolean {
    if (atMs < this.#dueAtMs) return false;
    this.#dueAtMs = atMs + this.#everyMs;
    this.#everyMs = Math.min(2 * this.#everyMs, LONGEST_MS);
    return true;
  }

  /** It is back. What goes away and comes back all the time is logged as rarely as before. */
  restart(atMs = nowMs()): void {
    this.#everyMs = FIRST_MS;
    this.#dueAtMs = Math.min(this.#dueAtMs, atMs + FIRST_MS);
  }
}
