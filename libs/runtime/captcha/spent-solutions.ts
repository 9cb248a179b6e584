import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '../redis/connection.ts';
import { RedisFallback } from '../redis/fallback.ts';
import { MemoryReservations } from '../redis/memory-reservations.ts';
import { take } from '../redis/take.ts';

/** Longer than any solution is valid: ten minutes for altcha here, five or two for the others. */
const REMEMBERED_MS = 15 * 60 * 1000;

/** Which submission a captcha solution was accepted for, across all replicas. */
export class SpentSolutions {
  readonly #redis: Redis;
  readonly #fallback: RedisFallback;
  readonly #memory = new MemoryReservations();

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#fallback = new RedisFallback('captcha solutions', log);
  }

  /** @returns the submission that it was accepted for, or undefined */
  spentFor(solutionId: string): Promise<string | undefined> {
    return this.#fallback.run(
      async () => (await this.#redis.get(keyOf(solutionId))) ?? undefined,
      () => this.#memory.holderOf(keyOf(solutionId)),
    );
  }

  /** @returns whether it is `itemId`'s: it was unused until now, or was used by the same submission before */
  async spend(solutionId: string, itemId: string): Promise<boolean> {
    const holder = await this.#fallback.run(
      () => this.#redis.eval(...take(keyOf(solutionId), itemId, REMEMBERED_MS)),
      () => this.#memory.take(keyOf(solutionId), itemId, REMEMBERED_MS),
    );
    return holder === null || holder === itemId;
  }
}

function keyOf(solutionId: string): string {
  return `feedback:captcha:${solutionId}`;
}
