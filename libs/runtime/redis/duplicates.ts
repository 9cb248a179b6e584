import { createHash } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from './connection.ts';
import { RedisFallback } from './fallback.ts';
import { MemoryReservations } from './memory-reservations.ts';
import { take } from './take.ts';

/** How long the same message is refused after it was stored. */
export const DUPLICATE_WINDOW_MS = 10 * 60 * 1000;
/** A reservation outlives its submission's deadline by this, so that it lasts until the outcome is known. */
const PENDING_MARGIN_MS = 1_000;

/** The right of one submission to store its message. */
export interface Reservation {
  readonly key: string;
  /** The submission, by its item's id: a repeated attempt holds the same reservation. */
  readonly holder: string;
}

export function reservationOf(sourceId: string, message: string, itemId: string): Reservation {
  return { key: `feedback:{${sourceId}}:message:${messageHash(message)}`, holder: itemId };
}

/** Held from now on, or since an earlier attempt at the same submission: that one may have stored it, so this one must not release it. */
type Hold = 'taken' | 'kept';

/** Equal for messages that differ only in compatibility forms, case and white space. */
function messageHash(message: string): string {
  const normal = message.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  return createHash('sha256').update(normal).digest('base64url');
}

const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/**
 * Of any number of equal concurrent messages only one may be stored, across all replicas. While its submission is pending, a reservation is short, so that it
 * does not block others for long if its process dies. It is released if nothing was stored, and lasts the whole window once something was.
 */
export class Duplicates {
  readonly #redis: ScriptedRedis;
  readonly #fallback: RedisFallback;
  readonly #memory = new MemoryReservations();

  constructor(redis: Redis, log: Log) {
    redis.defineCommand('releaseFeedback', { lua: RELEASE_SCRIPT, numberOfKeys: 1 });
    this.#redis = redis as ScriptedRedis;
    this.#fallback = new RedisFallback('feedback duplicates', log);
  }

  /** @returns for each how it is held; if it is not, an equal message was stored or is being stored by another submission */
  async reserve(reservations: readonly Reservation[], deadlineAtMs: number): Promise<(Hold | undefined)[]> {
    const pendingMs = Math.ceil(Math.max(0, deadlineAtMs - Date.now())) + PENDING_MARGIN_MS;
    const holders = await this.#fallback.run(
      async () => {
        const pipeline = this.#redis.pipeline();
        for (const { key, holder } of reservations) pipeline.eval(...take(key, holder, pendingMs));
        return (await all(pipeline)) as (string | null)[];
      },
      () => reservations.map(({ key, holder }) => this.#memory.take(key, holder, pendingMs)),
    );
    return reservations.map(({ holder }, i) => {
      if (holders[i] === null) return 'taken';
      return holders[i] === holder ? 'kept' : undefined;
    });
  }

  /** Once their items are stored. */
  async confirm(reservations: readonly Reservation[]): Promise<void> {
    if (reservations.length === 0) return;
    await this.#fallback.run(
      async () => {
        const pipeline = this.#redis.pipeline();
        for (const { key, holder } of reservations) pipeline.set(key, holder, 'PX', DUPLICATE_WINDOW_MS);
        await all(pipeline);
      },
      () => {
        for (const { key, holder } of reservations) this.#memory.set(key, holder, DUPLICATE_WINDOW_MS);
      },
    );
  }

  /** Releases reservations of submissions that stored nothing, except those that others hold by now. */
  async release(reservations: readonly Reservation[]): Promise<void> {
    if (reservations.length === 0) return;
    // Wherever they are: a full Redis refuses to take one, and releases it.
    for (const { key, holder } of reservations) this.#memory.release(key, holder);
    await this.#fallback.run(
      () => Promise.all(reservations.map(({ key, holder }) => this.#redis.releaseFeedback(key, holder))),
      () => [],
    );
  }
}

async function all(pipeline: ReturnType<Redis['pipeline']>): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, result]) => {
    if (error) throw error;
    return result;
  });
}

interface ScriptedRedis extends Redis {
  releaseFeedback(key: string, holder: string): Promise<number>;
}
