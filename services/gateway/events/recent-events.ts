import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { eventFrame } from './frames.ts';

const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Taken at once by a reader: what it holds while it is slow. */
const PAGE_EVENTS = 50;

export interface RecentEvent {
  readonly event: LoggedEvent;
  /** Made once, for all the streams that it goes to. */
  readonly frame: string;
}

/** The end of an organization's log, without gaps: as many events as are kept, the last of them at `head`. */
export class RecentEvents {
  #events: RecentEvent[] = [];
  #bytes = 0;
  #head: number;

  /** @param head of the log: the next event gets the next place */
  constructor(head: number) {
    this.#head = head;
  }

  get head(): number {
    return this.#head;
  }

  /** @returns false if one or more before it are missing; one that is already there changes nothing */
  add(event: LoggedEvent): boolean {
    if (event.seq <= this.#head) return true;
    if (event.seq > this.#head + 1) return false;
    // Those before it may name the user; the log, from which they are read then, does so no more.
    if (event.type === 'user.erased') this.#forget(this.#events.length);
    const frame = eventFrame(event);
    this.#events.push({ event, frame });
    this.#bytes += frame.length;
    this.#head = event.seq;
    if (this.#events.length > MAX_EVENTS || this.#bytes > MAX_BYTES) this.#forget(Math.ceil(this.#events.length / 2));
    return true;
  }

  /** The first of those that follow a place in the log; undefined if they, or the place itself, are not known here. */
  after(seq: number): readonly RecentEvent[] | undefined {
    const from = this.#events.length - (this.#head - seq);
    return seq > this.#head || from < 0 ? undefined : this.#events.slice(from, from + PAGE_EVENTS);
  }

  /** In bulk rather than for each arrival, which would move all the others each time. */
  #forget(oldest: number): void {
    this.#events = this.#events.slice(oldest);
    this.#bytes = this.#events.reduce((sum, { frame }) => sum + frame.length, 0);
  }
}
