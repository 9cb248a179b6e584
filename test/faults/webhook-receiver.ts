import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { TestOrganization } from '../support/organization.ts';

/**
 * How it fails, in turn. For less than the time until the first retry, so that the second attempt of each event finds it
 * healthy: the third would come after 5 minutes.
 */
const TROUBLES = ['refuses', 'is silent', 'is gone'] as const;
const TROUBLE_MS = 1_000;
/** What it did not answer fails after 15 s, and is sent again 5 s later, or somewhat later on a machine that has other things to do. */
const WELL_MS = 35_000;
/** After the load has ended: for what has failed twice after all. */
const CATCH_UP_MS = 7 * 60_000;

/** A webhook endpoint that is unhealthy now and then. What it has answered with 200 it has. */
export class WebhookReceiver {
  /** In the order of first acceptance. */
  readonly events: LoggedEvent[] = [];
  /** The place in the log after which it is sent everything. */
  readonly after: number;
  repeated = 0;
  troubles = 0;
  readonly #seen = new Set<string>();
  readonly #port: number;
  readonly #stopping = new AbortController();
  #server: Server;
  #trouble: (typeof TROUBLES)[number] | undefined;
  readonly #failing: Promise<void>;

  static async start({ call }: TestOrganization): Promise<WebhookReceiver> {
    let receiver: WebhookReceiver | undefined;
    const server = createServer((request, response) => void receiver?.receive(request, response));
    const port = await listening(server, 0);
    const { data } = await call<{ seq: number }>('POST', '/api/webhooks', { url: `http://127.0.0.1:${port}/` });
    receiver = new WebhookReceiver(server, port, data.seq);
    return receiver;
  }

  private constructor(server: Server, port: number, after: number) {
    this.#server = server;
    this.#port = port;
    this.after = after;
    this.#failing = this.#failNowAndThen();
  }

  /** Once it has been sent these events too; or after the time in which it should have been. */
  async end(events: readonly LoggedEvent[]): Promise<void> {
    this.#stopping.abort();
    await this.#failing;
    const giveUpAt = Date.now() + CATCH_UP_MS;
    while (this.missing(events).length > 0 && Date.now() < giveUpAt) await delay(50);
    await closed(this.#server);
  }

  /** Those of the log that it was not sent. */
  missing(events: readonly LoggedEvent[]): LoggedEvent[] {
    return events.filter(({ id, seq }) => seq > this.after && !this.#seen.has(id));
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const trouble = this.#trouble;
    const body = await text(request).catch(() => undefined);
    if (body === undefined || trouble === 'is silent') return;
    if (trouble === 'refuses') {
      response.writeHead(503).end();
      return;
    }
    const event = JSON.parse(body) as LoggedEvent;
    if (this.#seen.has(event.id)) this.repeated++;
    else this.events.push(event);
    this.#seen.add(event.id);
    response.writeHead(200).end();
  }

  async #failNowAndThen(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await delay(WELL_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#trouble = TROUBLES[this.troubles++ % TROUBLES.length];
      if (this.#trouble === 'is gone') await closed(this.#server);
      await delay(TROUBLE_MS);
      if (this.#trouble === 'is gone') {
        this.#server = createServer((request, response) => void this.receive(request, response));
        await listening(this.#server, this.#port);
      }
      this.#trouble = undefined;
    }
  }
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
