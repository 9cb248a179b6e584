import type { Identity } from '@worktrack/contracts/keys/identity';

/** Nothing is delivered by what was known longer ago, so that what no event tells of, such as the expiry of a key, holds after this. */
const FRESH_MS = 1_000;

/** Whom the key of a stream speaks for at the moment of a delivery. At most one question to the cache of keys for each second in which something is delivered. */
export class ListenerIdentity {
  readonly #recognize: () => Promise<Identity>;
  #identity: Identity;
  #askedAtMs = performance.now();
  #isDoubted = false;

  /** @param identity as it was just found out */
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
