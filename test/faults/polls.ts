import { setTimeout as delay } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { MINUTES } from './form.ts';
import { type FollowedLog, LogFollower } from './log-follower.ts';

/** Each costs the system some milliseconds of CPU, and only the long form measures how soon the log follows. */
const PAUSE_MS = MINUTES > 0 ? 50 : 250;
const ANSWER_MS = 20_000;
const PAGE = 200;

interface Page {
  readonly events: readonly LoggedEvent[];
  readonly nextSeq: number;
}

/** Asks what has happened since, again and again. */
export class Polls extends LogFollower {
  readonly #polling: Promise<void>;
  #isRunning = true;

  constructor(log: FollowedLog) {
    super(log);
    this.#polling = this.#poll(log);
  }

  protected override async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#polling;
  }

  async #poll({ gateways, apiKey }: FollowedLog): Promise<void> {
    let after = 0;
    for (let turn = 0; this.#isRunning; turn++) {
      const page = await pageAfter(after, gateways[turn % gateways.length] as string, apiKey);
      if (page) {
        this.take(page.events);
        after = page.nextSeq;
        if (page.events.length === PAGE) continue;
      }
      await delay(PAUSE_MS);
    }
  }
}

async function pageAfter(after: number, gateway: string, apiKey: string): Promise<Page | undefined> {
  try {
    const response = await fetch(`${gateway}/api/events?after=${after}&limit=${PAGE}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body = (await response.json()) as { readonly data?: Page };
    return response.ok ? body.data : undefined;
  } catch {
    return undefined;
  }
}
