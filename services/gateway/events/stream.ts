import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { callerOf, type Identity } from '@worktrack/contracts/keys/identity';
import type { PassingBeat } from './beats.ts';
import { eventFrame, keepAliveFrame, passingFrame, placeFrame, retryFrame } from './frames.ts';
import { type Interest, maySee } from './interest.ts';
import type { ListenerIdentity } from './listener-identity.ts';
import type { Listener } from './live-log.ts';
import type { LogPage } from './log-reader.ts';
import type { RecentEvent, RecentEvents } from './recent-events.ts';

const KEEP_ALIVE_EVERY_MS = 15_000;
/** Who has been signed out is to see nothing more within 5 s, and an end of a session is in no log. */
const RECOGNIZE_SESSION_EVERY_MS = 4_000;
/** A reader that takes nothing for this long is disconnected. What it misses stays in the log. */
const SLOW_AFTER_MS = 30_000;
/** What a slow reader's connection holds at most, and one event more. */
const WRITE_CHARS = 16 * 1024;
/** For the last message to such a reader. */
const LAST_WORDS_MS = 5_000;
/** Between two attempts while a part of the service is unavailable; and until a client connects to another gateway. */
const RETRY_MS = 1_000;
/** A change to a user is announced when it is stored, and its keys are looked up again from shortly after that. */
const SETTLED_MS = 1_000;

export const END_REASONS = ['left', 'slow', 'refused', 'expired', 'stopping'] as const;
export type EndReason = (typeof END_REASONS)[number];

/**
 * One reader of the log, from a given place: recent events come from the memory that all streams of its organization share, older ones from the log
 * itself. It reads no faster than its client does, so a stream holds one page more than its connection does, however far behind it is.
 */
export class EventStream implements Listener {
  readonly #out: ServerResponse;
  readonly #identity: ListenerIdentity;
  readonly #interest: Pick<Interest, 'includes' | 'read'>;
  readonly #requestId: string;
  readonly #slowAfterMs: number;
  /** Everything up to this place was delivered, or is not for this reader. */
  #after = 0;
  /** To be sent: the latest for each item. */
  readonly #beats = new Map<string, PassingBeat>();
  /** Not before it has started. */
  #mayTellBeats = false;
  #ended: EndReason | undefined;
  #news = Promise.withResolvers<void>();
  #drained = Promise.withResolvers<void>();
  readonly #over = new AbortController();

  constructor(options: {
    readonly out: ServerResponse;
    readonly identity: ListenerIdentity;
    readonly interest: Pick<Interest, 'includes' | 'read'>;
    readonly requestId: string;
    readonly slowAfterMs?: number;
  }) {
    this.#out = options.out;
    this.#identity = options.identity;
    this.#interest = options.interest;
    this.#requestId = options.requestId;
    this.#slowAfterMs = options.slowAfterMs ?? SLOW_AFTER_MS;
  }

  changed(events: readonly LoggedEvent[]): void {
    for (const event of events) this.#heed(event);
    this.#news.resolve();
  }

  passed(beats: readonly PassingBeat[]): void {
    if (this.#ended) return;
    for (const beat of beats) if (this.#interest.includes(beat.about)) this.#beats.set(beat.about.subject.id, beat);
    if (this.#mayTellBeats && this.#beats.size > 0) void this.#tellBeats();
  }

  end(reason: EndReason): void {
    this.#ended ??= reason;
    this.#over.abort();
    this.#news.resolve();
    this.#drained.resolve();
  }

  /** Resolves once it has ended. */
  async run(feed: { readonly recent: Pick<RecentEvents, 'after'> }, after: number): Promise<EndReason> {
    this.#after = after;
    const keepAlive = setInterval(() => this.#keepAlive(), KEEP_ALIVE_EVERY_MS).unref();
    const recognizeEveryMs = this.#identity.last.session ? RECOGNIZE_SESSION_EVERY_MS : KEEP_ALIVE_EVERY_MS;
    const recognize = setInterval(() => void this.#identityNow(recognizeEveryMs / 2), recognizeEveryMs).unref();
    await this.#write(placeFrame('listening', after));
    this.#mayTellBeats = true;
    while (!this.#ended) {
      // Before looking: what arrives meanwhile is looked at next.
      this.#news = Promise.withResolvers();
      const isThereMore = await this.#deliver(feed);
      if (!isThereMore && !this.#ended) await this.#news.promise;
    }
    clearInterval(keepAlive);
    clearInterval(recognize);
    this.#sayWhy(this.#ended);
    return this.#ended;
  }

  /** @returns whether there may be more */
  async #deliver({ recent }: Parameters<EventStream['run']>[0]): Promise<boolean> {
    const page = recent.after(this.#after);
    if (!page) return await this.#deliverFromLog();
    await this.#deliverAll(page);
    return page.length > 0;
  }

  async #deliverFromLog(): Promise<boolean> {
    const identity = await this.#identityNow();
    const before = this.#after;
    const page = identity && (await this.#page(identity, before));
    if (!page) return true;
    await this.#deliverAll(page.events.map((event) => ({ event, frame: eventFrame(event) })));
    if (!this.#ended) this.#after = page.nextSeq;
    return page.nextSeq > before;
  }

  /** Several in one write: with thousands of streams, one for each event of a batch keeps the gateway from everything else for seconds. */
  async #deliverAll(events: readonly RecentEvent[]): Promise<void> {
    let wanted: RecentEvent[] = [];
    let chars = 0;
    for (const each of events) {
      if (this.#interest.includes(each.event)) {
        wanted.push(each);
        chars += each.frame.length;
      }
      if (chars < WRITE_CHARS && each !== events.at(-1)) continue;
      if (!(await this.#deliverTogether(wanted))) return;
      // Even if it could not be written out: it is in the connection, and the client knows from its ids what it got.
      this.#after = each.event.seq;
      wanted = [];
      chars = 0;
    }
  }

  /** What the reader may see of these at the moment at which they are written. @returns false if the stream has ended before that */
  async #deliverTogether(events: readonly RecentEvent[]): Promise<boolean> {
    if (events.length === 0) return true;
    const identity = await this.#identityNow();
    if (!identity) return false;
    const visible = events.filter(({ event }) => maySee(identity, event));
    if (visible.length > 0) await this.#write(visible.map(({ frame }) => frame).join(''));
    return true;
  }

  /** A reader that is not taking anything at the moment misses them: there will be others. */
  async #tellBeats(): Promise<void> {
    this.#mayTellBeats = false;
    const identity = await this.#identityNow();
    for (const { about, frame } of this.#beats.values()) {
      if (!identity || this.#ended || this.#out.writableNeedDrain) break;
      if (maySee(identity, about)) this.#out.write(frame);
    }
    this.#beats.clear();
    this.#mayTellBeats = true;
  }

  /** @returns undefined if it could not be read, after a while */
  async #page(identity: Identity, after: number): Promise<LogPage | undefined> {
    try {
      return await this.#interest.read(callerOf(identity), after, this.#requestId);
    } catch (error) {
      if (error instanceof OperationError && error.code === 'CURSOR_EXPIRED') this.end('expired');
      else await this.#pause(RETRY_MS);
      return undefined;
    }
  }

  /** @returns undefined if the stream has ended. While it cannot be determined, nothing is delivered. */
  async #identityNow(maxAgeMs?: number): Promise<Identity | undefined> {
    while (!this.#ended) {
      try {
        const identity = await this.#identity.now(maxAgeMs);
        return this.#ended ? undefined : identity;
      } catch (error) {
        if (error instanceof OperationError && error.code === 'API_KEY_INVALID') this.end('refused');
        else await this.#pause(RETRY_MS);
      }
    }
    return undefined;
  }

  /** What an event says about this stream's key, or its user. */
  #heed({ type, subject }: LoggedEvent): void {
    const { key, session, user } = this.#identity.last;
    if (type === 'key.revoked' && (subject.id === key.id || subject.id === session?.keyId)) this.end('refused');
    else if (type === 'user.updated' && subject.id === user.id) {
      // At once: what came with it is delivered before anything can be looked up.
      this.#identity.doubt(SETTLED_MS);
      void this.#recognizeAnew();
    }
  }

  async #recognizeAnew(): Promise<void> {
    for (const delayMs of [0, SETTLED_MS]) {
      await this.#pause(delayMs);
      this.#identity.doubt();
      await this.#identityNow();
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }

  /** Resolves once the connection accepts more. */
  async #write(frame: string): Promise<void> {
    if (this.#ended || this.#out.write(frame)) return;
    this.#drained = Promise.withResolvers();
    const { resolve, promise } = this.#drained;
    this.#out.once('drain', resolve);
    const timer = setTimeout(() => this.end('slow'), this.#slowAfterMs);
    await promise;
    clearTimeout(timer);
    this.#out.off('drain', resolve);
  }

  #keepAlive(): void {
    if (!this.#ended && !this.#out.writableNeedDrain) this.#out.write(keepAliveFrame(this.#after));
  }

  #sayWhy(reason: EndReason): void {
    if (reason === 'left') return;
    // Clients reconnect on their own: to another gateway, if this one is stopping.
    if (reason === 'stopping') this.#out.end(retryFrame(RETRY_MS, this.#after));
    else
      this.#out.end(reason === 'slow' ? placeFrame(reason, this.#after) : passingFrame(reason, { after: this.#after }));
    setTimeout(() => this.#out.destroy(), LAST_WORDS_MS).unref();
  }
}
