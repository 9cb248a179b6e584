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
  /** The first ones in the order in which they were made, as far as the processes' clocks agree on it. @param after the last one of the previous batch */
  next(limit: number, after: PublishedEvent | undefined): Promise<readonly PublishedEvent[]>;
  /** All those about these subjects, by id, with lower revisions. */
  earlier(revisions: ReadonlyMap<string, number>): Promise<readonly PublishedEvent[]>;
  /** They have been published. */
  remove(events: readonly PublishedEvent[]): Promise<void>;
}

/** Events in memory at once. */
const BATCH_EVENTS = 250;
/** Commits within this time are announced by one hint. */
const HINT_EVERY_MS = 20;
/**
 * After a pass that published this many events, the next one starts no sooner than this after its start. Events committed meanwhile share the cost of a pass,
 * here and in the log (interrupt moderation). This saves a third of the CPU of a busy log, and a lone writer does not wait for it.
 */
const BUSY_EVENTS = 4;
const BUSY_EVERY_MS = 50;
/** For events left by a process that died between its commit and its hint. With each look of an idle service, the database and the service wake up. */
const LOOK_EVERY_MS = 5_000;
/** What a failed pass left is published this soon after the database or the broker is back, also if nobody commits anything meanwhile. */
const RETRY_AFTER_MS = 500;
/** A broker whose queue of the log is down takes events and never says so, as one does whose disk was full, until it is started again. */
const UNCONFIRMED_AFTER_MS = 5_000;
/** A frozen broker never says what became of the messages that it was given. */
const CLOSE_TIMEOUT_MS = 2_000;

const lag: Gauge = new Gauge({
  name: 'worktrack_outbox_lag_seconds',
  help: 'Age of the oldest event that is stored and not published, in the process that publishes.',
  registers: [registry],
  collect: () => lag.set(oldestAtMs === undefined ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1_000),
});
const publishedEvents = new Counter({
  name: 'worktrack_events_published_total',
  help: 'Events that this process has published, by type.',
  labelNames: ['type'],
  registers: [registry],
});
/** For this process's one outbox. */
let oldestAtMs: number | undefined;

/**
 * Publishes what is waiting in a service's outbox, at least once, and the events about one subject in the order of its revisions.
 *
 * One replica does so, elected by the broker: the others hint that there is something. If several do (see Election), no harm is done. Whichever publishes
 * an event has seen, and published before it, all earlier ones about its subject that are still there; any that are not have been published. So
 * whatever is duplicated, the first delivery of each is in order, and the log recognizes the others by id.
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
  #retry: NodeJS.Timeout | undefined;
  /** The error of a failed pass that was reported, until a pass succeeds: a full disk of the broker would fill that of the log, too. */
  #reported: string | undefined;
  #pass: Promise<void> | undefined;
  #isPassDue = false;
  #isClosing = false;

  constructor(options: {
    readonly broker: Broker;
    readonly service: string;
    /** For events. */
    readonly signer: RequestSigner;
    readonly log: Log;
    readonly sources: readonly OutboxSource[];
    /** Reports events that this process has stored. */
    onEmitted(listener: () => void): { stop(): void };
    /** Default: LOOK_EVERY_MS */
    readonly lookEveryMs?: number;
  }) {
    const { broker, service, signer, log, sources, onEmitted, lookEveryMs = LOOK_EVERY_MS } = options;
    this.#sources = sources;
    this.#log = log;
    this.#publisher = new EventPublisher({ broker, signer, opened: () => this.#passIfElected() });
    this.#election = new Election({ broker, queue: `outbox.${service}`, log, nudged: () => this.#startPass() });
    this.#emitted = onEmitted(() => this.#hintSoon());
    this.#fallback = setInterval(() => this.#passIfElected(), lookEveryMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#emitted.stop();
    clearInterval(this.#fallback);
    clearTimeout(this.#hint);
    clearTimeout(this.#retry);
    // Whatever is waiting for the broker's confirmation ends with the channel.
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
    // The publisher, which reports when it opens, is made first.
    if (this.#election?.isElected) this.#startPass();
    // While the broker was away, every process was elected. The events of a pass that failed then are another process's to publish and report by now.
    else oldestAtMs = undefined;
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
      const earliestNext = sleep(BUSY_EVERY_MS);
      try {
        const published = await this.#publishAll();
        oldestAtMs = undefined;
        if (this.#reported !== undefined) this.#log.info({}, 'Events are published again');
        this.#reported = undefined;
        if (published >= BUSY_EVENTS) await earliestNext;
      } catch (error) {
        // They stay where they are.
        if (!this.#isClosing) this.#failed(error);
        return;
      }
    }
  }

  async #publish(events: readonly PublishedEvent[]): Promise<void> {
    const unconfirmed = setTimeout(() => {
      this.#log.warn({}, 'The broker does not confirm events; waiting for it');
    }, UNCONFIRMED_AFTER_MS).unref();
    await this.#publisher.publish(events).finally(() => clearTimeout(unconfirmed));
  }

  #failed(error: unknown): void {
    if (this.#reported !== `${error}`) this.#log.warn({ error }, 'Events could not be published; trying again');
    this.#reported = `${error}`;
    // One, however many hints and looks have begun a pass meanwhile: if each that failed began others, they would become ever more.
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#passIfElected();
    }, RETRY_AFTER_MS).unref();
  }

  /** @returns how many */
  async #publishAll(): Promise<number> {
    const after: (PublishedEvent | undefined)[] = [];
    for (let published = 0; ; ) {
      const next = await Promise.all(this.#sources.map((source, index) => source.next(BATCH_EVENTS, after[index])));
      const seen = next.flat();
      if (seen.length === 0 || this.#isClosing) return published;
      for (const [index, events] of next.entries()) after[index] = events.at(-1) ?? after[index];
      oldestAtMs = Math.min(...seen.map(({ at }) => Date.parse(at)));
      // Read after the seen events: each earlier event was stored before the one that follows it, so it is visible by now, wherever it is.
      const open = this.#published.openIn(seen);
      const earlier = await Promise.all(
        this.#sources.map(async (source) => (open.size > 0 ? source.earlier(open) : [])),
      );
      const batches = next.map((events, index) => distinct([...events, ...(earlier[index] ?? [])]));
      const events = inOrderOfRevisions(batches.flat());
      await this.#publish(events);
      for (const { type } of events) publishedEvents.inc({ type });
      published += events.length;
      this.#published.published(events);
      await Promise.all(this.#sources.map((source, index) => source.remove(batches[index] ?? [])));
      // What arrived meanwhile has sent a hint.
      if (next.every(({ length }) => length < BATCH_EVENTS)) return published;
    }
  }
}

function distinct(events: readonly PublishedEvent[]): PublishedEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}
