import { setTimeout as delay } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Ledger } from './ledger.ts';

const LOOK_EVERY_MS = 50;
/** After the load has ended: for what the part that was broken last still has to publish. */
const CATCH_UP_MS = 60_000;

/** Where the log is read. */
export interface FollowedLog {
  readonly gateways: readonly string[];
  readonly apiKey: string;
  readonly ledger: Ledger;
}

/** A client that follows the log from its beginning, whichever gateway answers, and what it was given. */
export abstract class LogFollower {
  readonly events: LoggedEvent[] = [];
  readonly #ledger: Ledger;
  readonly #begun = new Set<string>();

  constructor({ ledger }: FollowedLog) {
    this.#ledger = ledger;
  }

  /** Which of these acknowledged beginnings (items, submissions) it has not been given. */
  missing(upTo: number): string[] {
    return this.#ledger.entries.slice(0, upTo).flatMap((entry) => {
      const id = entry.kind === 'created' ? entry.itemId : entry.kind === 'submitted' ? entry.feedbackId : undefined;
      return id === undefined || this.#begun.has(id) ? [] : [id];
    });
  }

  /** Once the beginning of everything acknowledged has been seen, and nothing more follows. */
  async end(): Promise<void> {
    const giveUpAt = Date.now() + CATCH_UP_MS;
    while (this.missing(this.#ledger.entries.length).length > 0 && Date.now() < giveUpAt) await delay(LOOK_EVERY_MS);
    for (let seen = -1; seen < this.events.length && Date.now() < giveUpAt; ) {
      seen = this.events.length;
      await delay(3_000);
    }
    await this.stop();
  }

  protected abstract stop(): Promise<void>;

  protected take(events: readonly LoggedEvent[]): void {
    this.events.push(...events);
    for (const { type, subject } of events) {
      if (type === 'work_item.created' || type === 'feedback.received') this.#begun.add(subject.id);
    }
  }
}
