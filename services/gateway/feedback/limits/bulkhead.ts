import { registry } from '@worktrack/runtime/process/metrics';
import { Counter, Gauge } from 'prom-client';

const waiting = new Gauge({
  name: 'worktrack_intake_waiting_requests',
  help: 'Public requests waiting because calls with an API key come in.',
  registers: [registry],
});

const waited = new Counter({
  name: 'worktrack_intake_waited_total',
  help: 'Public requests that had to wait because calls with an API key came in.',
  registers: [registry],
});

/** How long after the last call API clients are assumed to be active. */
const AT_WORK_MS = 10_000;
/** A request that has waited this long proceeds regardless: it has a deadline, and somebody waiting for the response. */
const MAX_WAIT_MS = 2_000;

/**
 * Prevents a burst of submissions from delaying people and agents at work. While calls with an API key come in, the gateway limits how many public requests it
 * handles at once; the others wait here, in order. Nothing is refused, and when nobody is at work nothing waits.
 *
 * It limits concurrency, not the rate. With spare capacity it costs nothing: requests complete as fast as they arrive. On a saturated machine they take longer,
 * so fewer are started. The queues that a work item call has to pass (event loops, Redis, the broker, the CPUs) then stay short. Measured by
 * `npm run bench -- burst`: see docs/feedback.md, "Load".
 */
export class Bulkhead {
  readonly #besideCalls: number;
  readonly #waiting = new Set<() => void>();
  #underWay = 0;
  #lastCallAtMs = -Infinity;

  /** @param besideCalls how many requests may be in progress while somebody is at work */
  constructor(besideCalls: number) {
    this.#besideCalls = besideCalls;
  }

  /** A call with a valid API key has arrived. */
  noteCall(): void {
    this.#lastCallAtMs = performance.now();
  }

  /** Runs a public request once there is room for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** For waits on something outside this system: meanwhile another request takes its place. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await wait();
    } finally {
      await this.#enter();
    }
  }

  async #enter(): Promise<void> {
    if (this.#waiting.size > 0 || !this.#hasRoom()) await this.#turn();
    else this.#underWay++;
  }

  #leave(): void {
    this.#underWay--;
    for (const begin of this.#waiting) {
      if (!this.#hasRoom()) break;
      begin();
    }
  }

  #hasRoom(): boolean {
    return this.#underWay < this.#besideCalls || performance.now() - this.#lastCallAtMs > AT_WORK_MS;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      // Counted here, not when the promise's reaction runs: the next caller must see it.
      const begin = () => {
        clearTimeout(timer);
        this.#waiting.delete(begin);
        waiting.dec();
        this.#underWay++;
        resolve();
      };
      const timer = setTimeout(begin, MAX_WAIT_MS);
      this.#waiting.add(begin);
      waiting.inc();
      waited.inc();
    });
  }
}
