import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Broker } from '@worktrack/rpc/connection';
import type { News } from '@worktrack/rpc/events/message';
import { type Subscription, subscribeToNews } from '@worktrack/rpc/events/subscription';
import type { RequestSigner } from '@worktrack/rpc/message/signature';
import { within } from '@worktrack/rpc/streams/streams';
import type { Log } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import { Histogram } from 'prom-client';
import { Beats, type PassingBeat } from './beats.ts';
import type { LogPage, LogReader } from './log-reader.ts';
import { RecentEvents } from './recent-events.ts';

const RETRY_MS = 1_000;
/** Polling finds what the live feed may have lost with nothing after it that would reveal the gap. One call per organization with listeners. */
const LOOK_EVERY_MS = 5_000;
/** How long until those who want to listen are told that it does not work at the moment. */
const JOIN_DEADLINE_MS = 5_000;

const arrival = new Histogram({
  name: 'worktrack_event_arrival_seconds',
  help: 'Time from what happened until this gateway has the event for the streams of its organization.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
});

export interface Listener {
  /** There is more to read, including these. */
  changed(events: readonly LoggedEvent[]): void;
  passed(beats: readonly PassingBeat[]): void;
}

/** What the streams of one organization read from. */
export class OrganizationFeed {
  readonly listeners = new Set<Listener>();
  /** Resolves once its head is known and nothing is missed any more. */
  readonly ready: Promise<void>;

  readonly #organizationId: string;
  readonly #reader: LogReader;
  readonly #log: Log;
  readonly #beats = new Beats((beats) => {
    for (const listener of this.listeners) listener.passed(beats);
  });
  #recent = new RecentEvents(0);
  #filling: Promise<void> | undefined;
  #isBehind = false;

  constructor(organizationId: string, listening: Promise<void>, reader: LogReader, log: Log) {
    this.#organizationId = organizationId;
    this.#reader = reader;
    this.#log = log;
    this.ready = listening.then(async () => {
      const head = await reader.headOf(organizationId);
      // The very first event may have arrived meanwhile.
      if (head > this.#recent.head) this.#recent = new RecentEvents(head);
    });
    this.ready.catch(() => {});
  }

  get recent(): RecentEvents {
    return this.#recent;
  }

  received(news: News): void {
    if (news.kind === 'beat') this.#beats.add(news.beat);
    else if (news.kind === 'events') {
      this.#add(news.events);
      if (this.#isBehind) this.fill();
      this.#changed(news.events);
    }
  }

  /** Reads what was missed. */
  fill(): void {
    this.#isBehind = true;
    this.#filling ??= this.ready
      .then(() => this.#fill())
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined;
      });
  }

  async #fill(): Promise<void> {
    while (this.#isBehind && this.listeners.size > 0) {
      try {
        await this.#readOn();
      } catch (error) {
        this.#log.warn({ error }, 'The log could not be read for listeners; trying again');
        this.#isBehind = true;
        await sleep(RETRY_MS);
      }
    }
  }

  async #readOn(): Promise<void> {
    this.#isBehind = false;
    const before = this.#recent.head;
    const page = await this.#pageAfter(before);
    if (page) this.#add(page.events);
    // The missed events are older than the log, or the log was restored. Listeners that are behind find out by reading it themselves.
    else this.#recent = new RecentEvents(await this.#reader.headOf(this.#organizationId));
    if (page?.nextSeq !== before) {
      this.#isBehind = true;
      this.#changed(page?.events ?? []);
    }
  }

  /** @returns undefined if the log does not have that place */
  async #pageAfter(seq: number): Promise<LogPage | undefined> {
    try {
      return await this.#reader.read(this.#organizationId, seq);
    } catch (error) {
      if (error instanceof OperationError && error.code === 'CURSOR_EXPIRED') return undefined;
      throw error;
    }
  }

  #add(events: readonly LoggedEvent[]): void {
    if (!events.every((event) => this.#recent.add(event))) this.#isBehind = true;
  }

  #changed(events: readonly LoggedEvent[]): void {
    // The clocks of two machines may differ by more than an event takes.
    for (const { at } of events) arrival.observe(Math.max(0, Date.now() - Date.parse(at)) / 1_000);
    for (const listener of this.listeners) listener.changed(events);
  }
}

/** What the log announces right now, for the organizations that somebody listens to here: one subscription of this gateway for all of them. */
export class LiveLog {
  readonly #subscription: Subscription;
  readonly #reader: LogReader;
  readonly #log: Log;
  readonly #feeds = new Map<string, OrganizationFeed>();
  readonly #looks: NodeJS.Timeout;

  constructor(options: {
    readonly broker: Broker;
    /** For events (eventSigner of libs/runtime). */
    readonly signer: RequestSigner;
    readonly reader: LogReader;
    readonly log: Log;
  }) {
    this.#reader = options.reader;
    this.#log = options.log;
    const look = () => {
      for (const feed of this.#feeds.values()) feed.fill();
    };
    this.#subscription = subscribeToNews({
      ...options,
      opened: look,
      received: (organizationId, news) => this.#feeds.get(organizationId)?.received(news),
    });
    this.#looks = setInterval(look, LOOK_EVERY_MS).unref();
  }

  /**
   * Resolves once nothing is missed any more. Release it with `leave`.
   * @throws OperationError UNAVAILABLE if the log or the broker does not answer
   */
  async join(organizationId: string, listener: Listener): Promise<OrganizationFeed> {
    let feed = this.#feeds.get(organizationId);
    if (!feed) {
      const listening = this.#subscription.bind(organizationId);
      feed = new OrganizationFeed(organizationId, listening, this.#reader, this.#log);
      this.#feeds.set(organizationId, feed);
    }
    feed.listeners.add(listener);
    try {
      await within(feed.ready, JOIN_DEADLINE_MS, tooLate);
      return feed;
    } catch (error) {
      this.leave(organizationId, feed, listener);
      // The next one tries again.
      if (this.#feeds.get(organizationId) === feed) this.#feeds.delete(organizationId);
      throw error;
    }
  }

  leave(organizationId: string, feed: OrganizationFeed, listener: Listener): void {
    feed.listeners.delete(listener);
    if (feed.listeners.size > 0 || this.#feeds.get(organizationId) !== feed) return;
    this.#feeds.delete(organizationId);
    this.#subscription.unbind(organizationId);
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    await this.#subscription.close();
  }
}

function tooLate(): OperationError {
  return new OperationError('UNAVAILABLE', 'Events are unavailable at the moment. Connect again.', {
    retryAfterSeconds: 1,
  });
}
