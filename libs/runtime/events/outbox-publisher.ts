import { setTimeout as sleep } from 'node:timers/promises';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { Broker } from '@worktrack/rpc/connection';
import { Election } from '@worktrack/rpc/events/election';
import { EventPublisher } from '@worktrack/rpc/events/event-publisher';
import type { RequestSigner } from '@worktrack/rpc/message/signature';
import type { Log } from '@worktrack/rpc/types';
import { Counter, Gauge } from 'prom-client';
import { registry } from '../process/metrics.ts';
import { inOrderOfRevisions, PublishedRevisions } from './order.ts';

/** Where events wait until they are published. */
export interface OutboxSource {
  /** The first ones in the order of their making, as far as the clocks of processes agree on it. @param after the last one of the batch before */
  next(limit: number, after: PublishedEvent | undefined): Promise<readonly PublishedEvent[]>;
  /** All those of these subjects, by id, with lower revisions. */
  earlier(revisions: ReadonlyMap<string, number>): Promise<readonly PublishedEvent[]>;
  /** They are published. */
  remove(events: readonly PublishedEvent[]): Promise<void>;
}

/** Events in memory at once. */
const BATCH_EVENTS = 250;
/** Commits of this time are told by one hint. */
const HINT_EVERY_MS = 20;
/** For what nobody was told of, such as receipts of feedback, or what a process left that died between its commit and its hint. */
const LOOK_EVERY_MS = 500;
/** A broker that is frozen never says what became of what it was given. */
const CLOSE_TIMEOUT_MS = 2_000;

const lag: Gauge = new Gauge({
  name: 'worktrack_outbox_lag_seconds',
  help: 'Age of the oldest event that is stored and not published, in the process that publishes.',
  registers: [registry],
  collect: () => lag.set(oldestAtMs === undefined ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1_000),
});
const publishedEvents = new Counter({
  name: 'worktrack_events_published_total',
  help: 'Events that this process has published.',
  registers: [registry],
});
/** Of this process's one outbox. */
let oldestAtMs: number | undefined;

/**
 * Publishes what waits in the outbox of a service, at least once, the events of one subject in the order of its revisions.
 *
 * One replica does so, elected by the broker: each of the others hints that there is something. That several do (see Election) harms nothing. Who publishes
 * an event has seen, and published before it, all earlier ones of its subject that are still there; those that are not there were published. So
 * whatever is doubled, the first delivery of each is in order, and by its id the log knows the others.
 */
export class OutboxPublisher {
  readonly #sources: readonly OutboxSource[];
  readonly #log: Log;
  readonly #election: Election;
  readonly #publisher: EventPublisher;
  readonly #published = new PublishedRevisions();
  readonly #emitted: { stop(): void };
  readonly #fallback: NodeJS.Timeout;
  #hint: NodeJS.Timeout | undefined;
  #isHintDue = false;
  #pass: Promise<void> | undefined;
  #isPassDue = false;
  #isClosing = false;

  constructor(options: {
    readonly broker: Broker;
    readonly service: string;
    /** Of events. */
    readonly signer: RequestSigner;
    readonly log: Log;
    readonly sources: readonly OutboxSource[];
    /** Tells of events that this process has stored. */
    onEmitted(listener: () => void): { stop(): void };
  }) {
    const { broker, service, signer, log, sources, onEmitted } = options;
    this.#sources = sources;
    this.#log = log;
    this.#publisher = new EventPublisher({ broker, signer, opened: () => this.#passIfElected() });
    this.#election = new Election({ broker, queue: `outbox.${service}`, log, nudged: () => this.#startPass() });
    this.#emitted = onEmitted(() => this.#hintSoon());
    this.#fallback = setInterval(() => this.#passIfElected(), LOOK_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#emitted.stop();
    clearInterval(this.#fallback);
    clearTimeout(this.#hint);
    // What waits for the broker's word ends with the channel.
    await this.#publisher.close();
    await Promise.race([this.#pass, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    await this.#election.close();
  }

  #hintSoon(): void {
    if (this.#hint) {
      this.#isHintDue = true;
      return;
    }
    this.#election.nudge();
    this.#hint = setTimeout(() => {
      this.#hint = undefined;
      if (!this.#isHintDue) return;
      this.#isHintDue = false;
      this.#hintSoon();
    }, HINT_EVERY_MS).unref();
  }

  #passIfElected(): void {
    // The publisher, which tells of its opening, is made first.
    if (this.#election?.isElected) this.#startPass();
  }

  #startPass(): void {
    if (this.#isClosing) return;
    this.#isPassDue = true;
    this.#pass ??= this.#run().finally(() => {
      this.#pass = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#isPassDue && !this.#isClosing) {
      this.#isPassDue = false;
      try {
        await this.#publishAll();
        oldestAtMs = undefined;
      } catch (error) {
        // They stay where they are, and the next look is soon.
        if (!this.#isClosing) this.#log.warn({ error }, 'Events could not be published; trying again');
        return;
      }
    }
  }

  async #publishAll(): Promise<void> {
    const after: (PublishedEvent | undefined)[] = [];
    for (;;) {
      const next = await Promise.all(this.#sources.map((source, index) => source.next(BATCH_EVENTS, after[index])));
      const seen = next.flat();
      if (seen.length === 0 || this.#isClosing) return;
      for (const [index, events] of next.entries()) after[index] = events.at(-1) ?? after[index];
      oldestAtMs = Math.min(...seen.map(({ at }) => Date.parse(at)));
      // After what was seen: each of these was stored before the one that follows it, so now it can be seen, wherever it lies.
      const open = this.#published.openIn(seen);
      const earlier = await Promise.all(
        this.#sources.map(async (source) => (open.size > 0 ? source.earlier(open) : [])),
      );
      const batches = next.map((events, index) => distinct([...events, ...(earlier[index] ?? [])]));
      const events = inOrderOfRevisions(batches.flat());
      await this.#publisher.publish(events);
      publishedEvents.inc(events.length);
      this.#published.published(events);
      await Promise.all(this.#sources.map((source, index) => source.remove(batches[index] ?? [])));
      // What came meanwhile has hinted.
      if (next.every(({ length }) => length < BATCH_EVENTS)) return;
    }
  }
}

function distinct(events: readonly PublishedEvent[]): PublishedEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}
