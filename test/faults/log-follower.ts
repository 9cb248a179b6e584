import { setTimeout as delay } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Ledger } from './ledger.ts';

const PAUSE_MS = 50;
const ANSWER_MS = 20_000;
const PAGE = 200;
/** After the load has ended: for what a part that was broken last still has to publish. */
const CATCH_UP_MS = 60_000;

interface Page {
  readonly events: readonly LoggedEvent[];
  readonly nextSeq: number;
}

/** A client that follows the log by polling, whichever gateway answers, from the moment of its start. */
export class LogFollower {
  readonly events: LoggedEvent[] = [];
  readonly #gateways: readonly string[];
  readonly #apiKey: string;
  readonly #ledger: Ledger;
  readonly #begun = new Set<string>();
  readonly #polling: Promise<void>;
  #isRunning = true;

  constructor(gateways: readonly string[], apiKey: string, ledger: Ledger) {
    this.#gateways = gateways;
    this.#apiKey = apiKey;
    this.#ledger = ledger;
    this.#polling = this.#poll();
  }

  /** How many of these acknowledged beginnings (items, submissions) are in the log. */
  missing(upTo: number): string[] {
    return this.#ledger.entries.slice(0, upTo).flatMap((entry) => {
      const id = entry.kind === 'created' ? entry.itemId : entry.kind === 'submitted' ? entry.feedbackId : undefined;
      return id === undefined || this.#begun.has(id) ? [] : [id];
    });
  }

  /** Once everything that was acknowledged has been seen to begin, and then nothing follows any more. */
  async end(): Promise<void> {
    const giveUpAt = Date.now() + CATCH_UP_MS;
    while (this.missing(this.#ledger.entries.length).length > 0 && Date.now() < giveUpAt) await delay(PAUSE_MS);
    for (let seen = -1; seen < this.events.length && Date.now() < giveUpAt; ) {
      seen = this.events.length;
      await delay(3_000);
    }
    this.#isRunning = false;
    await this.#polling;
  }

  async #poll(): Promise<void> {
    let after = 0;
    for (let turn = 0; this.#isRunning; turn++) {
      const page = await this.#page(this.#gateways[turn % this.#gateways.length] as string, after);
      if (page) {
        this.events.push(...page.events);
        for (const { type, subject } of page.events) {
          if (type === 'work_item.created' || type === 'feedback.received') this.#begun.add(subject.id);
        }
        after = page.nextSeq;
        if (page.events.length === PAGE) continue;
      }
      await delay(PAUSE_MS);
    }
  }

  async #page(gateway: string, after: number): Promise<Page | undefined> {
    try {
      const response = await fetch(`${gateway}/api/events?after=${after}&limit=${PAGE}`, {
        headers: { authorization: `Bearer ${this.#apiKey}` },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const body = (await response.json()) as { readonly data?: Page };
      return response.ok ? body.data : undefined;
    } catch {
      return undefined;
    }
  }
}
