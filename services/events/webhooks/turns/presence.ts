import { randomUUID } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import { Silence } from '@worktrack/runtime/process/silence';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { freeTakenBy, holders } from '../webhooks.repository.ts';
import { beat, dispatchers, insertDispatcher, removeDispatcher } from './dispatchers.repository.ts';

const BEAT_MS = 3_000;
/** How often another's heartbeat is found unchanged until it counts as stopped. */
const SILENT_LOOKS = 5;
/** A dispatcher whose heartbeat has not been stored for this long stops sending: less than SILENT_LOOKS heartbeats, with a margin for a slow database. */
const UNHEARD_MS = 10_000;

/**
 * A process that sends to a webhook holds it until it gives it back. So that one that died or froze does not hold it forever, each has a heartbeat, and the others
 * free what is held by one whose heartbeat has stopped.
 */
export class Presence {
  readonly #log: Log;
  readonly #onFreed: () => void;
  readonly #others = new Silence(SILENT_LOOKS);
  #id = '';
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Its own mark: a heartbeat under way sets the time once it is answered. */
  #isInDoubt = false;
  #beating: { stop(): Promise<void> } | undefined;

  /** @param onFreed called when webhooks that another process held may have something to send */
  constructor(log: Log, onFreed: () => void) {
    this.#log = log;
    this.#onFreed = onFreed;
  }

  start(): void {
    this.#beating = sweepEvery(
      BEAT_MS,
      {
        log: this.#log,
        sweep: async () => {
          await this.#tell();
          await this.#watch();
        },
        // After UNHEARD_MS nothing is sent, and the first heartbeat afterwards resumes.
        failed: 'A heartbeat of the dispatcher failed',
      },
      true,
    );
  }

  /** Once nothing is held any more. */
  async stop(): Promise<void> {
    await this.#beating?.stop();
    // If the database is unavailable, the others find out from the heartbeat.
    if (this.#id) await removeDispatcher(this.#id).catch(() => undefined);
  }

  /** The id by which this process holds webhooks; undefined: it must not send now. A different one than before: others own what it held. */
  get holder(): string | undefined {
    const isHeard = !this.#isInDoubt && performance.now() - this.#heardAt < UNHEARD_MS;
    return this.#id !== '' && isHeard ? this.#id : undefined;
  }

  /** `holder` holds something that could not be given back: it gives up everything and starts over. */
  doubt(holder: string): void {
    if (this.#id === holder) this.#isInDoubt = true;
  }

  async #tell(): Promise<void> {
    // Before the write: it counts from when it was sent.
    const at = performance.now();
    const wasUnheard = this.holder === undefined;
    if (!wasUnheard && (await beat(this.#id))) {
      this.#heardAt = at;
      return;
    }
    // Others may have taken over what it held, so it starts afresh with nothing.
    const before = this.#id;
    this.#id = '';
    this.#isInDoubt = false;
    const id = randomUUID();
    await insertDispatcher(id);
    this.#id = id;
    this.#heardAt = at;
    if (before) {
      await freeTakenBy(before);
      await removeDispatcher(before);
    }
    this.#onFreed();
  }

  async #watch(): Promise<void> {
    const present = new Map((await dispatchers()).map(({ _id, beat }) => [_id, beat]));
    // One that holds something but has no heartbeat at all is gone too.
    for (const holder of await holders()) if (!present.has(holder)) present.set(holder, -1);
    present.delete(this.#id);
    for (const id of this.#others.look(present)) {
      await freeTakenBy(id);
      await removeDispatcher(id);
      this.#log.warn({ dispatcher: id }, 'Took over the webhooks of a dispatcher that is gone');
      this.#onFreed();
    }
  }
}
