import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@worktrack/contracts/caller';
import { OperationError } from '@worktrack/contracts/errors';
import { type LoggedEvent, PERMISSION_TO_SEE } from '@worktrack/contracts/events/event';
import { callerOf, type Identity } from '@worktrack/contracts/keys/identity';
import { eventFrame, KEEP_ALIVE_FRAME, listeningFrame, passingFrame, retryFrame } from './frames.ts';
import type { ListenerIdentity } from './listener-identity.ts';
import type { Beat, Listener, LogPage, OrganizationFeed } from './live-log.ts';

const KEEP_ALIVE_EVERY_MS = 15_000;
/** A reader that takes nothing for so long is ended. What it does not take meanwhile stays in the log. */
const SLOW_AFTER_MS = 30_000;
/** For the last words to such a reader. */
const LAST_WORDS_MS = 5_000;
/** Between two attempts where a part of the service is unavailable; and until a client connects to another gateway. */
const RETRY_MS = 1_000;

export type EndReason = 'left' | 'slow' | 'refused' | 'expired' | 'stopping';

/** What somebody listens to. */
export interface Interest {
  includes(event: LoggedEvent): boolean;
  includesBeat(beat: Beat): boolean;
  /** The log after a place, of what the caller may see. */
  read(caller: Caller, after: number): Promise<LogPage>;
}

/**
 * One reader of the log, from a place on: what is recent it gets from the memory that all streams of its organization share, what is older from the log
 * itself. It is read no faster than the reader takes it, so that a stream holds one event more than its connection does, however far it is behind.
 */
export class EventStream implements Listener {
  readonly #out: ServerResponse;
  readonly #identity: ListenerIdentity;
  readonly #interest: Interest;
  /** Everything up to this place was delivered, or is not for this reader. */
  #after: number;
  #ended: EndReason | undefined;
  #news = Promise.withResolvers<void>();
  #drained = Promise.withResolvers<void>();

  constructor(options: {
    readonly out: ServerResponse;
    readonly identity: ListenerIdentity;
    readonly interest: Interest;
    readonly after: number;
  }) {
    this.#out = options.out;
    this.#identity = options.identity;
    this.#interest = options.interest;
    this.#after = options.after;
  }

  changed(events: readonly LoggedEvent[]): void {
    if (events.some((event) => isAbout(event, this.#identity.last))) this.#identity.doubt();
    this.#news.resolve();
  }

  /** To a reader that is behind it is not told: it is about this moment. */
  beat(beat: Beat): void {
    if (this.#ended || this.#out.writableNeedDrain || !this.#interest.includesBeat(beat)) return;
    if (maySee(this.#identity.last, beat)) this.#out.write(passingFrame('beat', beat));
  }

  end(reason: EndReason): void {
    this.#ended ??= reason;
    this.#news.resolve();
    this.#drained.resolve();
  }

  /** Resolves when it has ended. */
  async run(feed: OrganizationFeed): Promise<EndReason> {
    const keepAlive = setInterval(() => void this.#keepAlive(), KEEP_ALIVE_EVERY_MS).unref();
    await this.#write(listeningFrame(this.#after));
    while (!this.#ended) {
      // Before the look: what comes meanwhile is looked at next.
      this.#news = Promise.withResolvers();
      const isThereMore = await this.#deliver(feed);
      if (!isThereMore && !this.#ended) await this.#news.promise;
    }
    clearInterval(keepAlive);
    this.#sayWhy(this.#ended);
    return this.#ended;
  }

  /** @returns whether there may be more */
  async #deliver(feed: OrganizationFeed): Promise<boolean> {
    const recent = feed.recent.after(this.#after);
    if (!recent) return await this.#deliverFromLog();
    for (const { event, frame } of recent) {
      await this.#deliverOne(event, frame);
      if (this.#ended) return false;
      this.#after = event.seq;
    }
    return recent.length > 0;
  }

  async #deliverFromLog(): Promise<boolean> {
    const identity = await this.#identityNow();
    const before = this.#after;
    const page = identity && (await this.#page(identity, before));
    if (!page) return !this.#ended;
    for (const event of page.events) {
      await this.#deliverOne(event, eventFrame(event));
      if (this.#ended) return false;
      this.#after = event.seq;
    }
    this.#after = page.nextSeq;
    return page.nextSeq > before;
  }

  async #deliverOne(event: LoggedEvent, frame: string): Promise<void> {
    if (!this.#interest.includes(event)) return;
    const identity = await this.#identityNow();
    if (identity && maySee(identity, event)) await this.#write(frame);
  }

  /** @returns undefined where it could not be read, after a while */
  async #page(identity: Identity, after: number): Promise<LogPage | undefined> {
    try {
      return await this.#interest.read(callerOf(identity), after);
    } catch (error) {
      if (error instanceof OperationError && error.code === 'CURSOR_EXPIRED') this.end('expired');
      else await sleep(RETRY_MS);
      return undefined;
    }
  }

  /** @returns undefined where the stream has ended. While nobody can tell, nothing is delivered. */
  async #identityNow(maxAgeMs?: number): Promise<Identity | undefined> {
    while (!this.#ended) {
      try {
        return await this.#identity.now(maxAgeMs);
      } catch (error) {
        if (error instanceof OperationError && error.code === 'API_KEY_INVALID') this.end('refused');
        else await sleep(RETRY_MS);
      }
    }
    return undefined;
  }

  /** Resolves once the connection takes more. */
  async #write(frame: string): Promise<void> {
    if (this.#ended || this.#out.write(frame)) return;
    this.#drained = Promise.withResolvers();
    const { resolve, promise } = this.#drained;
    this.#out.once('drain', resolve);
    const timer = setTimeout(() => this.end('slow'), SLOW_AFTER_MS);
    await promise;
    clearTimeout(timer);
    this.#out.off('drain', resolve);
  }

  async #keepAlive(): Promise<void> {
    if (!this.#ended && !this.#out.writableNeedDrain) this.#out.write(KEEP_ALIVE_FRAME);
    await this.#identityNow(KEEP_ALIVE_EVERY_MS / 2);
  }

  #sayWhy(reason: EndReason): void {
    if (reason === 'left') return;
    // Where its clients connect again by themselves, they are to go to another gateway.
    if (reason === 'stopping') this.#out.end(retryFrame(RETRY_MS));
    else this.#out.end(passingFrame(reason, { after: this.#after }));
    setTimeout(() => this.#out.destroy(), LAST_WORDS_MS).unref();
  }
}

function maySee({ permissions }: Identity, { subject }: Pick<LoggedEvent, 'subject'>): boolean {
  // A kind that this version does not know is nobody's.
  return permissions.includes(PERMISSION_TO_SEE[subject.kind]);
}

function isAbout({ type, subject }: LoggedEvent, { key, user }: Identity): boolean {
  return (type === 'key.revoked' && subject.id === key.id) || (type === 'user.updated' && subject.id === user.id);
}
