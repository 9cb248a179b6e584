import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Broker } from '@worktrack/rpc/connection';
import type { News } from '@worktrack/rpc/events/message';
import { type Subscription, subscribeToNews } from '@worktrack/rpc/events/subscription';
import type { RequestSigner } from '@worktrack/rpc/message/signature';
import type { Log } from '@worktrack/rpc/types';
import { RecentEvents } from './recent-events.ts';

const RETRY_MS = 1_000;

/** A part of the log: what follows a place, and from where to go on. At its end, `nextSeq` is that place. */
export interface LogPage {
  readonly events: readonly LoggedEvent[];
  readonly nextSeq: number;
}

/** Reads the log of an organization itself, whoever may see what of it. */
export interface LogReader {
  headOf(organizationId: string): Promise<number>;
  read(organizationId: string, after: number): Promise<LogPage>;
}

export interface Listener {
  /** There is more to read, of which these are part. */
  changed(events: readonly LoggedEvent[]): void;
  beat(beat: Beat): void;
}

/** What the streams of one organization read from. */
export class OrganizationFeed {
  readonly listeners = new Set<Listener>();
  recent = new RecentEvents(0);
  /** Once its head is known and nothing is missed any more. */
  readonly ready: Promise<void>;

  readonly #organizationId: string;
  readonly #reader: LogReader;
  readonly #log: Log;
  #filling: Promise<void> | undefined;

  constructor(organizationId: string, listening: Promise<void>, reader: LogReader, log: Log) {
    this.#organizationId = organizationId;
    this.#reader = reader;
    this.#log = log;
    this.ready = listening.then(async () => {
      this.recent = new RecentEvents(await reader.headOf(organizationId));
    });
    this.ready.catch(() => {});
  }

  received(news: News): void {
    if (news.kind === 'beat') {
      for (const listener of this.listeners) listener.beat(news.beat);
      return;
    }
    if (!news.events.every((event) => this.recent.add(event))) this.fill();
    this.#changed(news.events);
  }

  /** Reads what passed by unheard. */
  fill(): void {
    this.#filling ??= this.ready
      .then(() => this.#fill())
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined;
      });
  }

  async #fill(): Promise<void> {
    while (this.listeners.size > 0) {
      try {
        const before = this.recent.head;
        const { events } = await this.#reader.read(this.#organizationId, before);
        // The log has begun anew, or what was missed is older than it: its readers find out by reading it themselves.
        if (!events.every((event) => this.recent.add(event))) {
          this.recent = new RecentEvents(await this.#reader.headOf(this.#organizationId));
        }
        this.#changed(events);
        if (this.recent.head === before) return;
      } catch (error) {
        this.#log.warn({ error }, 'The log could not be read for those who listen; trying again');
        await sleep(RETRY_MS);
      }
    }
  }

  #changed(events: readonly LoggedEvent[]): void {
    for (const listener of this.listeners) listener.changed(events);
  }
}

/** What the log tells at this moment, of the organizations that somebody listens to here: one subscription of this gateway for all of them. */
export class LiveLog {
  readonly #subscription: Subscription;
  readonly #reader: LogReader;
  readonly #log: Log;
  readonly #feeds = new Map<string, OrganizationFeed>();

  constructor(options: {
    readonly broker: Broker;
    /** Of events. */
    readonly signer: RequestSigner;
    readonly reader: LogReader;
    readonly log: Log;
  }) {
    this.#reader = options.reader;
    this.#log = options.log;
    this.#subscription = subscribeToNews({
      ...options,
      opened: () => {
        for (const feed of this.#feeds.values()) feed.fill();
      },
      received: (organizationId, news) => this.#feeds.get(organizationId)?.received(news),
    });
  }

  /** Resolves once nothing is missed any more. To be given back by `leave`. */
  async join(organizationId: string, listener: Listener): Promise<OrganizationFeed> {
    let feed = this.#feeds.get(organizationId);
    if (!feed) {
      feed = new OrganizationFeed(
        organizationId,
        this.#subscription.bind(organizationId),
        this.#reader,
        this.#log,
      );
      this.#feeds.set(organizationId, feed);
    }
    feed.listeners.add(listener);
    try {
      await feed.ready;
    } catch (error) {
      this.leave(organizationId, feed, listener);
      // The next one tries anew.
      if (this.#feeds.get(organizationId) === feed) this.#feeds.delete(organizationId);
      throw error;
    }
    return feed;
  }

  leave(organizationId: string, feed: OrganizationFeed, listener: Listener): void {
    feed.listeners.delete(listener);
    if (feed.listeners.size > 0 || this.#feeds.get(organizationId) !== feed) return;
    this.#feeds.delete(organizationId);
    this.#subscription.unbind(organizationId);
  }

  close(): Promise<void> {
    return this.#subscription.close();
  }
}
