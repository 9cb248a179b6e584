import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { createParser } from 'eventsource-parser';

const UNAUTHORIZED = 401;

/** The server sends something at least every 15 s; after this long without a byte the connection is considered broken. */
const SILENCE_MS = 40_000;
const LOOK_EVERY_MS = 1_000;
/**
 * After a gap of this length, everything shown is read again. Heartbeats are not sent again, but a lease may need one this often. And the events of the gap
 * would be asked for bit by bit.
 */
const LONGEST_GAP_MS = 30_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;

export interface StreamListener {
  /** The stream is open. `resumed`: nothing that happened since the cursor is missing, and few heartbeats. */
  opened(resumed: boolean): void;
  event(event: LoggedEvent): void;
  beat(beat: Beat): void;
  /** It broke, and is being retried. */
  lost(): void;
}

/**
 * Follows the organization's events until the session is over, and resumes by cursor after a short break. Not with an EventSource, which reveals neither
 * the status with which it was refused nor that a connection has long been silent.
 * @param after the last known event; `undefined`: from now on
 */
export async function followEvents(after: number | undefined, listener: StreamListener): Promise<void> {
  let cursor = after;
  let failures = 0;
  let heardAtMs = Date.now();
  for (;;) {
    if (Date.now() - heardAtMs > LONGEST_GAP_MS) cursor = undefined;
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    // A connection that is open stays so, in silence.
    addEventListener('offline', giveUp, { signal: attempt.signal });
    let silentSinceMs = Date.now();
    // By the clock, which goes on while the machine sleeps, as a timer does not.
    const watch = setInterval(() => Date.now() - silentSinceMs > SILENCE_MS && giveUp(), LOOK_EVERY_MS);
    try {
      const query = cursor === undefined ? '' : `?after=${cursor}`;
      const response = await fetch(`/api/events/stream${query}`, {
        headers: { accept: 'text/event-stream' },
        credentials: 'same-origin',
        cache: 'no-store',
        signal: attempt.signal,
      });
      if (response.status === 410) {
        // The log does not go back that far: everything is read again, and followed from now on.
        cursor = undefined;
        continue;
      }
      if (response.status === UNAUTHORIZED) return;
      if (!response.ok || !response.body) throw new Error(`The stream was answered with ${response.status}.`);
      failures = 0;
      listener.opened(cursor !== undefined);
      const parser = createParser({
        onEvent({ event, id, data }) {
          if (event === 'beat') listener.beat(JSON.parse(data));
          else if (event?.includes('.')) {
            const logged = JSON.parse(data) as LoggedEvent;
            cursor = logged.seq;
            listener.event(logged);
          } else if (id) cursor = Number(id);
        },
      });
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        heardAtMs = silentSinceMs = Date.now();
        parser.feed(text);
      }
    } catch {
      failures++;
    } finally {
      clearInterval(watch);
      giveUp();
    }
    listener.lost();
    await pause(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.5 + Math.random() / 2));
  }
}

/** Ends early when the browser reports that the network is back, or when somebody looks at the page again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const until = { signal: over.signal };
    addEventListener('online', end, until);
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && end(), until);
  });
}
