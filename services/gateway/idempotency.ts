import { OperationError } from '@worktrack/contracts/errors';
import { DEFAULT_DEADLINE_MS, type Operation } from '@worktrack/contracts/operation';
import type { Log } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { Counter } from 'prom-client';

/** As long as the services keep their records. */
const KEPT_SECONDS = 24 * 60 * 60;
/** Beyond the operation's own deadline, after which nobody knows whether it had its effect. */
const PENDING_MARGIN_MS = 30_000;

const unchecked = new Counter({
  name: 'worktrack_gateway_idempotency_unchecked_total',
  help: 'Writes whose idempotency key was not checked across services, because Redis was unavailable.',
  registers: [registry],
});

export interface Reservation {
  /** The operation had its effect, now or earlier. */
  keep(): void;
  /** It was refused and had none: the key stays free. */
  release(): void;
}

const NO_RESERVATION: Reservation = { keep: () => {}, release: () => {} };

/**
 * One idempotency key is one operation, whichever service it belongs to. A service knows its own records only, so the gateway notes in Redis which
 * operation a key was used for; comparing the input, waiting for the first and replaying its answer are the service's, exactly.
 * While Redis is unavailable this check is left out: within a service nothing is lost by that.
 */
export class IdempotencyReservations {
  readonly #redis: Redis;
  readonly #log: Log;

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * @param session what beside the input decides the meaning of the call: the project of an MCP session
   * @param waitMs for how long the call may wait beyond the deadline of its operation
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
      earlier = await this.#redis.set(entry, use, 'PX', pendingMs, 'NX', 'GET');
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
      // Only the first: the others joined it, and it may still have its effect.
      release: () => first && this.#inBackground(this.#redis.del(entry)),
    };
  }

  /** The answer does not wait for it: until it is done the entry of the reservation stands. */
  #inBackground(command: Promise<unknown>): void {
    command.catch((error) => this.#log.debug({ error }, 'A reservation of an idempotency key could not be updated'));
  }
}
