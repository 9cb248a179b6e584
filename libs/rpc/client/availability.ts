import type { OperationError } from '@worktrack/contracts/errors';
import { nowMs } from '../clock.ts';
import type { RecoveringConnection } from '../connection.ts';
import { unavailable } from '../failures.ts';

/** How long new calls wait for a broken connection before they are refused at once. */
const HOLD_MS = 1_000;
/** A write buffer may be full briefly in a burst; for longer, the broker is not reading. */
const STALL_MS = 250;

/** Whether the broker accepts messages. If not, calls are refused at once: memory would be their only queue. */
export class Availability {
  readonly #connection: RecoveringConnection;
  readonly #shed: () => void;
  /** There is no channel. */
  #isDown = false;
  /** What no longer waits for one is refused from the moment in which the rest is shed: a call admitted in between would wait until its deadline. */
  #isHoldOver = false;
  #hold: NodeJS.Timeout | undefined;
  #fullSinceMs: number | undefined;

  /** @param shed fails the calls that wait for a channel */
  constructor(connection: RecoveringConnection, shed: () => void) {
    this.#connection = connection;
    this.#shed = shed;
    this.lost();
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Short of memory or disk, the broker accepts nothing, but keeps its connections. */
  get isBlocked(): boolean {
    return this.#connection.status === 'blocked';
  }

  get isFull(): boolean {
    return this.#fullSinceMs !== undefined;
  }

  opened(): void {
    clearTimeout(this.#hold);
    this.#isDown = false;
    this.#isHoldOver = false;
    this.#fullSinceMs = undefined;
  }

  /** Also for each channel that could not be set up. */
  lost(): void {
    this.#fullSinceMs = undefined;
    // Those that began when the connection was back.
    if (this.#isHoldOver) this.#shed();
    if (this.#isDown) return;
    this.#isDown = true;
    this.#hold = setTimeout(() => {
      this.#isHoldOver = true;
      this.#shed();
    }, HOLD_MS).unref();
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
    if (this.#isHoldOver && this.#connection.status !== 'open') {
      return unavailable(`The broker is unavailable, so ${service} cannot be reached.`);
    }
    if (this.#fullSinceMs !== undefined && nowMs() - this.#fullSinceMs > STALL_MS) {
      return unavailable('The broker cannot keep up.');
    }
    return undefined;
  }
}
