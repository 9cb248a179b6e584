import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { LRUCache } from 'lru-cache';

const MAX_SOURCES = 10_000;
const KEPT_SECONDS = 7 * 24 * 3_600;

/** Sources as they were last seen, for while the feedback service cannot be asked; in Redis too, for a gateway that starts meanwhile. */
export class KnownSources {
  readonly #redis: Redis;
  readonly #memory = new LRUCache<string, AdmittedSource>({ max: MAX_SOURCES });

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  keep(publicKey: string, source: AdmittedSource | null): void {
    if (!source) {
      this.#memory.delete(publicKey);
      this.#redis.del(keyOf(publicKey)).catch(() => {});
      return;
    }
    this.#memory.set(publicKey, source);
    // Without Redis, this process remembers it.
    this.#redis.set(keyOf(publicKey), JSON.stringify(source), 'EX', KEPT_SECONDS).catch(() => {});
  }

  async find(publicKey: string): Promise<AdmittedSource | undefined> {
    const remembered = this.#memory.get(publicKey);
    if (remembered) return remembered;
    const kept = await this.#redis.get(keyOf(publicKey)).catch(() => null);
    return kept === null ? undefined : (JSON.parse(kept) as AdmittedSource);
  }
}

const keyOf = (publicKey: string) => `feedback:{${publicKey}}:known`;
