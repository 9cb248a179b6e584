import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_TYPES, type LoggedEvent } from '@worktrack/contracts/events/event';
import { EventSource } from 'eventsource';
import { type FollowedLog, LogFollower } from './log-follower.ts';

const PAUSE_MS = 500;
/** A gateway that was frozen when a stream was to begin may never answer. */
const ANSWER_MS = 20_000;

/** Reads the stream as a standard client does, which resumes by itself after a break; at the next gateway, as behind a load balancer. */
export class Streams extends LogFollower {
  readonly #log: FollowedLog;
  #source: EventSource;
  /** How often it was started, at whichever gateway. */
  #turn = 0;
  #isRunning = true;

  constructor(log: FollowedLog) {
    super(log);
    this.#log = log;
    this.#source = this.#open();
  }

  get resumed(): number {
    return this.#turn - 1;
  }

  protected override async stop(): Promise<void> {
    this.#isRunning = false;
    this.#source.close();
  }

  #open(): EventSource {
    const after = this.events.at(-1)?.seq ?? 0;
    const source = new EventSource(`http://gateway.invalid/api/events/stream?after=${after}`, {
      fetch: (url, init) => this.#fetch(new URL(url), init as RequestInit),
    });
    for (const type of EVENT_TYPES) {
      source.addEventListener(type, ({ data }) => this.take([JSON.parse(data) as LoggedEvent]));
    }
    // According to the standard, a refusal ends it for good: its user starts afresh from the last event.
    source.addEventListener('error', () => {
      if (source.readyState === source.CLOSED && this.#isRunning) void this.#openLater();
    });
    return source;
  }

  async #openLater(): Promise<void> {
    await delay(PAUSE_MS);
    if (this.#isRunning) this.#source = this.#open();
  }

  async #fetch({ pathname, search }: URL, { headers, signal }: RequestInit): Promise<Response> {
    const { gateways, apiKey } = this.#log;
    const gateway = gateways[this.#turn++ % gateways.length];
    const unanswered = new AbortController();
    const timer = setTimeout(() => unanswered.abort(new Error('It does not answer.')), ANSWER_MS);
    try {
      return await fetch(`${gateway}${pathname}${search}`, {
        headers: { ...(headers as Record<string, string>), authorization: `Bearer ${apiKey}` },
        signal: AbortSignal.any([unanswered.signal, ...(signal ? [signal] : [])]),
      });
    } finally {
      clearTimeout(timer);
    }
  }
}
