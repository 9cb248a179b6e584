import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import type { Duplicates } from '@worktrack/runtime/redis/duplicates';
import { type ErasableItem, itemsOfSource } from '../items/erasure.repository.ts';
import { eraseAll } from '../items/erasure.ts';
import { expiringSources, forgetDeletedSources, noteErased } from '../sources/sources.repository.ts';
import { extendTurn, takeTurn } from './turns.repository.ts';

const DUTY = 'retention';
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often each replica checks whether the task is due, and so how late it can be. */
const LOOK_EVERY_MS = 15 * 60 * 1000;
/** If the holder is silent for this long, another replica takes over. Extended with every batch. */
const LEASE_MS = 5 * 60 * 1000;
/** Gateways learn of a deletion within two seconds, and a call ends at its deadline: after this, nothing more arrives for a deleted source. */
const LATE_SUBMISSIONS_MS = 60 * 60 * 1000;

/** The task's holder was too slow, and another replica has taken over. */
class Overtaken extends Error {}

/** Erases what is older than its source's retention, once a day, by whichever replica gets to it. */
export class Retention {
  readonly #duplicates: Duplicates;
  readonly #log: Log;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(duplicates: Duplicates, log: Log) {
    this.#duplicates = duplicates;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const erased = await this.runIfDue(new Date());
        if (erased !== undefined) this.#log.info({ erased }, 'Feedback past its retention was erased');
      } catch (error) {
        // The database is unavailable, or another replica continues: the task is due again once the lease has ended.
        this.#log.warn({ error }, 'Feedback past its retention was not erased; trying again later');
      }
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** @returns how many items were erased, or undefined if it is not due or another replica is doing it */
  async runIfDue(now: Date): Promise<number | undefined> {
    if (!(await takeTurn(DUTY, this.#holder, now, after(now, LEASE_MS)))) return undefined;
    let erased = 0;
    for (const expiring of await expiringSources(now)) {
      const { organizationId, sourceId, after: begin, before: end } = expiring;
      const scope = { caller: { organizationId } };
      const items = itemsOfSource(scope, sourceId, begin, end);
      erased += await eraseAll(this.#duplicates, scope, this.#whileHeld(items));
      await noteErased(expiring);
    }
    await forgetDeletedSources(after(now, -LATE_SUBMISSIONS_MS));
    if (!(await extendTurn(DUTY, this.#holder, after(now, DAY_MS)))) throw new Overtaken('Another replica took over.');
    return erased;
  }

  async *#whileHeld(batches: AsyncIterable<ErasableItem[]>): AsyncGenerator<ErasableItem[]> {
    for await (const batch of batches) {
      this.#stopping.signal.throwIfAborted();
      if (!(await extendTurn(DUTY, this.#holder, after(new Date(), LEASE_MS)))) {
        throw new Overtaken('Another replica took over.');
      }
      yield batch;
    }
  }
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
