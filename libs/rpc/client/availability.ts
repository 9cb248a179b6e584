import type { OperationError } from '@worktrack/contracts/errors';
import { nowMs } from '../clock.ts';
import type { RecoveringConnection } from '../connection.ts';
import { unavailable } from '../failures.ts';

/** How long new calls wait for a broken connection before they are refused at once. */
export const HOLD_MS = 1_000;
/** A write buffer may be full briefly in a burst; for longer, the broker is not reading. */
const STALL_MS = 250;

/** Whether the broker accepts messages. If not, calls are refused at once: memory would be their only queue. */
export class Availability {
  readonly #connection: RecoveringConnection;
  /** Since when there is no channel. */
  #downSinceMs: number | undefined = nowMs();
  #fullSinceMs: number | undefined;

  constructor(connection: RecoveringConnection) {
    this.#connection = connection;
  }

  get isDown(): boolean {
    return this.#downSinceMs !== undefined;
  }

  /** Short of memory or disk, the broker accepts nothing, but keeps its connections. */
  get isBlocked(): boolean {
    return this.#connection.status === 'blocked';
  }

  get isFull(): boolean {
    return this.#fullSinceMs !== undefined;
  }

  opened(): void {
    this.#downSinceMs = undefined;
    this.#fullSinceMs = undefined;
  }

  lost(): void {
    this.#downSinceMs ??= nowMs();
    this.#fullSinceMs = undefined;
  }

  /** The write buffer is full. */
  filled(): void {
    this.#fullSinceMs ??= nowMs();
  }

  drained(): void {
    this.#fullSinceMs = undefined;
  }

  /** Why a new call to the service is not even attempted. */
  refusal(service: string): OperationError | undefined {
    if (this.isBlocked) return unavailable('The broker takes no messages at the moment.');
    // Once the connection is back, the channel follows.
    const isDown = this.#downSinceMs !== undefined && nowMs() - this.#downSinceMs > HOLD_MS;
    if (isDown && this.#connection.status !== 'open') {
      return unavailable(`The broker is unavailable, so ${service} cannot be reached.`);
    }
    if (this.#fullSinceMs !== undefined && nowMs() - this.#fullSinceMs > STALL_MS) {
      return unavailable('The broker cannot keep up.');
    }
    return undefined;
  }
}
