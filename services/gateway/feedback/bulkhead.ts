import { registry } from '@worktrack/runtime/process/metrics';
import { Counter, Gauge } from 'prom-client';

const waiting = new Gauge({
  name: 'worktrack_intake_waiting_requests',
  help: 'Requests of the public that wait because calls with an API key come in.',
  registers: [registry],
});

const waited = new Counter({
  name: 'worktrack_intake_waited_total',
  help: 'Requests of the public that had to wait because calls with an API key came in.',
  registers: [registry],
});

/** For how long after its last call somebody is taken to be at work. */
const AT_WORK_MS = 10_000;
/** A request that has waited for so long goes on, whoever is at work: it has a deadline, and somebody who waits for the answer. */
const MAX_WAIT_MS = 2_000;

/**
 * Keeps a burst of submissions from holding up people and agents at work: while calls with an API key come in, the gateway works on so many
 * requests of the public at once; the others wait here, in order. Nothing is refused, and with nobody at work nothing waits.
 *
 * It is a limit of what is under way, not of a rate. Where there is room it costs nothing: requests then leave as fast as they come. Where
 * the machine is full they take longer, so fewer are begun, and the queues that a work-item call has to pass (event loops, Redis, the
 * broker, the CPUs) stay short. Measured by `npm run bench -- burst`: see docs/feedback.md, "Load".
 */
export class Bulkhead {
  readonly #besideCalls: number;
  readonly #waiting = new Set<() => void>();
  #underWay = 0;
  #lastCallAtMs = -Infinity;

  /** @param besideCalls how many requests may be under way while somebody is at work */
  constructor(besideCalls: number) {
    this.#besideCalls = besideCalls;
  }

  /** A call with a valid API key has come. */
  noteCall(): void {
    this.#lastCallAtMs = performance.now();
  }

  /** Runs a request of the public once there is room for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** For what such a request waits for outside of this system: meanwhile another one has its place. */
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
      // Counted here, not when the promise's reaction runs: whoever asks next must see it.
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
