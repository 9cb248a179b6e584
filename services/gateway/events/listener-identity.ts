import type { Identity } from '@worktrack/contracts/keys/identity';

/** No delivery relies on a check older than this, so that changes without an event, such as the expiry of a key, take effect within it. */
const FRESH_MS = 1_000;

/** Who a stream's key acts for at the moment of a delivery. Asks the key cache at most once per second, and only when something is delivered. */
export class ListenerIdentity {
  readonly #recognize: () => Promise<Identity>;
  #identity: Identity;
  #askedAtMs = performance.now();
  #isDoubted = false;
  #doubtedUntilMs = 0;

  /** @param identity as just verified */
  constructor(identity: Identity, recognize: () => Promise<Identity>) {
    this.#identity = identity;
    this.#recognize = recognize;
  }

  get last(): Identity {
    return this.#identity;
  }

  /** The key or its user has changed, or will be looked up as changed within this time. */
  doubt(forMs = 0): void {
    this.#isDoubted = true;
    this.#doubtedUntilMs = Math.max(this.#doubtedUntilMs, performance.now() + forMs);
  }

  /** @throws OperationError API_KEY_INVALID; another one if it cannot be determined at the moment */
  async now(maxAgeMs = FRESH_MS): Promise<Identity> {
    const askedAtMs = performance.now();
    const isDoubted = this.#isDoubted || askedAtMs < this.#doubtedUntilMs;
    if (!isDoubted && askedAtMs - this.#askedAtMs < maxAgeMs) return this.#identity;
    // Before asking: if doubt arises while the question is being answered, it is asked again.
    this.#isDoubted = false;
    try {
      this.#identity = await this.#recognize();
    } catch (error) {
      this.#isDoubted = true;
      throw error;
    }
    this.#askedAtMs = askedAtMs;
    return this.#identity;
  }
}
