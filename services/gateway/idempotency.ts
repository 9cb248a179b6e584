import { OperationError } from '@worktrack/contracts/errors';
import { DEFAULT_DEADLINE_MS, type Operation } from '@worktrack/contracts/operation';
import type { Log } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { take } from '@worktrack/runtime/redis/take';
import { Counter } from 'prom-client';

/** As long as the services keep their records. */
const KEPT_SECONDS = 24 * 60 * 60;
/** Beyond the operation's own deadline, after which nobody knows whether it took effect. */
const PENDING_MARGIN_MS = 30_000;

const unchecked = new Counter({
  name: 'worktrack_gateway_idempotency_unchecked_total',
  help: 'Writes whose idempotency key was not checked across services, because Redis was unavailable.',
  registers: [registry],
});

export interface Reservation {
  /** The operation took effect, now or earlier. */
  keep(): void;
  /** It was refused and had no effect: the key stays free. */
  release(): void;
}

const NO_RESERVATION: Reservation = { keep: () => {}, release: () => {} };

/**
 * One idempotency key is for one operation, whichever service that belongs to. A service only knows its own records, so the gateway notes in Redis which
 * operation a key was used for. The service itself compares the input, waits for the first call and replays its answer, and does so exactly. While Redis is
 * unavailable this check is skipped: within a service nothing is lost by that.
 */
export class IdempotencyReservations {
  readonly #redis: Redis;
  readonly #log: Log;

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * @param session what determines the meaning of the call besides the input: the project of an MCP session
   * @param waitMs how long the call may wait beyond its operation's deadline
   * @throws OperationError IDEMPOTENCY_KEY_REUSED
   */
  async reserve(
    organizationId: string,
    key: string,
    operation: Operation,
    { session = '', waitMs = 0 }: { readonly session?: string | undefined; readonly waitMs?: number } = {},
  ): Promise<Reservation> {
    const entry = `idempotency:${organizationId}:${key}`;
    const use = session ? `${operation.name} ${session}` : operation.name;
    const pendingMs = (operation.deadlineMs ?? DEFAULT_DEADLINE_MS) + waitMs + PENDING_MARGIN_MS;
    let earlier: string | null;
    try {
      earlier = (await this.#redis.eval(...take(entry, use, pendingMs))) as string | null;
    } catch (error) {
      unchecked.inc();
      this.#log.debug(
        { error, operation: operation.name },
        'Redis is unavailable; the idempotency key is checked by the service alone',
      );
      return NO_RESERVATION;
    }
    if (earlier !== null && earlier !== use) {
      throw new OperationError(
        'IDEMPOTENCY_KEY_REUSED',
        'This idempotency key was used for another request within 24 hours. Use a new key for a new request.',
      );
    }
    const first = earlier === null;
    return {
      keep: () => this.#inBackground(this.#redis.set(entry, use, 'EX', KEPT_SECONDS)),
      // Only the first: the others joined it, and it may still take effect.
      release: () => first && this.#inBackground(this.#redis.del(entry)),
    };
  }

  /** The answer does not wait for this: until it is done, the reservation's entry stands. */
  #inBackground(command: Promise<unknown>): void {
    command.catch((error) => this.#log.debug({ error }, 'A reservation of an idempotency key could not be updated'));
  }
}
