import { type Attempt, recordAttempts } from './deliveries.repository.ts';

/** Per command. */
const MAX_ATTEMPTS = 500;
/** Commands at once: a server may carry out the writes of one command one after the other. */
const MAX_WRITES = 4;

interface Waiting {
  readonly attempt: Attempt;
  stored(): void;
  failed(error: unknown): void;
}

/** Records the attempts of all turns of this process: those that end while others are written are written next, together. */
export class Recorder {
  readonly #waiting: Waiting[] = [];
  #writes = 0;

  /** Resolves once it is stored. */
  record(attempt: Attempt): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ attempt, stored: resolve, failed: reject });
    if (this.#writes < MAX_WRITES) void this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    this.#writes++;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ATTEMPTS);
      try {
        await recordAttempts(batch.map(({ attempt }) => attempt));
        for (const { stored } of batch) stored();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writes--;
  }
}
