import type { Identity } from '@worktrack/contracts/keys/identity';

/** No delivery relies on a check older than this, so that changes without an event, such as the expiry of a key, take effect within it. */
const FRESH_MS = 1_000;

/** Who a stream's key acts for at the moment of a delivery. Asks the key cache at most once in each second in which something is delivered. */
export class ListenerIdentity {
  readonly #recognize: () => Promise<Identity>;
  #identity: Identity;
  #askedAtMs = performance.now();
  #isDoubted = false;

  /** @param identity as just verified */
  constructor(identity: Identity, recognize: () => Promise<Identity>) {
    this.#identity = identity;
    this.#recognize = recognize;
  }

  get last(): Identity {
    return this.#identity;
  }

  /** The key or its user was changed. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** @throws OperationError API_KEY_INVALID; another one where nobody can tell at the moment */
  async now(maxAgeMs = FRESH_MS): Promise<Identity> {
    const askedAtMs = performance.now();
    if (!this.#isDoubted && askedAtMs - this.#askedAtMs < maxAgeMs) return this.#identity;
    // Before the question: what is doubted while it is asked is asked again.
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
