import { setTimeout as delay } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { createParser } from 'eventsource-parser';
import { Failure, inFlags } from '../failure.ts';
import { type Api, outcomeOf } from './api.ts';
import { MAY_SUCCEED_LATER, TOO_MANY_REQUESTS } from './repeated.ts';

const PATH = '/api/events/stream';
/** The service sends something at least every 15 s, so a connection that has been silent for this long is broken. */
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;
/** Until it has been open for the first time. From then on it is reopened for as long as the command runs. */
const FIRST_ATTEMPTS = 3;

export interface EventFilters {
  readonly types?: string;
  readonly projectId?: string;
  readonly workItemId?: string;
}

const told = { inOwnWords: (text: string) => inFlags(text, ['types', 'projectId', 'workItemId', 'after'], {}) };

export interface FollowOptions {
  /** Resumes after this event; undefined: from now on. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  /** The connection broke, and is being reopened. */
  broke(lastSeq: string | undefined): void;
}

/**
 * Follows the event log until the signal ends it. After a break it resumes after the last event, so that none is lost or duplicated.
 * @throws Failure when the service refuses, or does not answer at the start
 */
export async function* followEvents(
  api: Api,
  filters: EventFilters,
  { after, signal, broke }: FollowOptions,
): AsyncGenerator<LoggedEvent> {
  let lastSeq = after;
  let wasOpen = false;
  for (let failures = 0; !signal.aborted; failures++) {
    let delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
    const connection = new AbortController();
    const silence = setTimeout(() => connection.abort(), SILENCE_MS);
    try {
      const query = new URLSearchParams({ ...filters, ...(lastSeq !== undefined && { after: lastSeq }) });
      const response = await api.open(`${PATH}?${query}`, {
        accept: 'text/event-stream',
        signal: AbortSignal.any([signal, connection.signal]),
      });
      if (response.status === 200 && response.body) {
        wasOpen = true;
        failures = 0;
        const events: LoggedEvent[] = [];
        const parser = createParser({
          // The start of the stream has an id too, so that a break before the first event loses nothing.
          onId(id) {
            lastSeq = id;
          },
          // Names of what is not in the log have no dot: heartbeats of leases, and why the stream ends.
          onEvent({ event, data }) {
            if (event?.includes('.')) events.push(JSON.parse(data) as LoggedEvent);
          },
          onRetry(ms) {
            delayMs = ms;
          },
        });
        for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
          silence.refresh();
          parser.feed(text);
          yield* events.splice(0);
        }
      } else {
        const isBusy = MAY_SUCCEED_LATER.has(response.status) || (wasOpen && response.status === TOO_MANY_REQUESTS);
        if (!isBusy || (!wasOpen && failures + 1 === FIRST_ATTEMPTS)) await outcomeOf(api.baseUrl, response, told);
        await response.body?.cancel();
        delayMs = Math.max(delayMs, Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0);
      }
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (!signal.aborted && !wasOpen && failures + 1 === FIRST_ATTEMPTS) await outcomeOf(api.baseUrl, error);
    } finally {
      clearTimeout(silence);
      connection.abort();
    }
    if (signal.aborted) return;
    if (wasOpen) broke(lastSeq);
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
  }
}
