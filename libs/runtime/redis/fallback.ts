import type { Log } from '@worktrack/rpc/types';
import { Counter } from 'prom-client';
import { registry } from '../process/metrics.ts';

/** A hanging Redis costs a command timeout per check; after a failure, only one check per this interval finds out whether it is back. */
const RETRY_AFTER_MS = 1_000;
/** Without a failure, until Redis is reported as back: one that is full refuses what writes, and answers what only reads in between. */
const BACK_AFTER_MS = 30_000;

const fallbacks = new Counter({
  name: 'worktrack_redis_fallbacks_total',
  help: "Checks that were made in the process's own memory because Redis was unavailable, by check.",
  labelNames: ['check'],
  registers: [registry],
});

/**
 * A check that is shared by all replicas while Redis is available, and local to each process while it is not: a weaker
 * check is better than refusing everybody.
 */
export class RedisFallback {
  readonly #check: string;
  readonly #log: Log;
  #away = false;
  #retryAtMs = 0;
  /** Of the last failure, until it was reported that Redis is back. */
  #failedAtMs: number | undefined;

  /** @param check its name in the log and the metric */
  constructor(check: string, log: Log) {
    this.#check = check;
    this.#log = log;
    fallbacks.inc({ check }, 0);
  }

  /** @param inMemory runs instead if Redis fails, or is known to be unavailable */
  async run<T>(inRedis: () => Promise<T>, inMemory: () => T): Promise<T> {
    const nowMs = performance.now();
    if (!this.#away || nowMs >= this.#retryAtMs) {
      this.#retryAtMs = nowMs + RETRY_AFTER_MS;
      try {
        const result = await inRedis();
        this.#away = false;
        if (this.#failedAtMs !== undefined && nowMs - this.#failedAtMs >= BACK_AFTER_MS) {
          this.#log.info({ check: this.#check }, 'The check is shared by all replicas again');
          this.#failedAtMs = undefined;
        }
        return result;
      } catch (error) {
        if (isMistake(error)) throw error;
        if (this.#failedAtMs === undefined) {
          this.#log.warn(
            { check: this.#check, error },
            "Redis is unavailable: the check is made in this process's memory",
          );
        }
        this.#failedAtMs = nowMs;
        this.#away = true;
      }
    }
    fallbacks.inc({ check: this.#check });
    return inMemory();
  }
}

/** For a check that decides itself when to do without Redis. @param check its name in the metric */
export function noteFallback(check: string): void {
  fallbacks.inc({ check });
}

/**
 * A command or script that Redis rejects is our bug: continuing without it would hide that forever. Up to Redis 6 any error of a script is an `ERR`, in which
 * the error of the command follows a hyphen, such as `-OOM`. That is the state of the server, unless it too is an `ERR`.
 */
function isMistake(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const [, met] = /@user_script: ?\d+: -([A-Z]+)\b/.exec(error.message) ?? [];
  return /^(ERR|WRONGTYPE|NOPERM)\b/.test(met ?? error.message);
}
