import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Log } from '@worktrack/rpc/types';
import { Destinations } from '@worktrack/runtime/outbound/destination';
import { AllowedNetworks } from '@worktrack/runtime/outbound/networks';
import type { KeyRing } from '@worktrack/runtime/process/key-ring';
import { FanOut } from './queueing/fan-out.ts';
import { resealAll } from './secrets/reseal.ts';
import { SecretBox } from './secrets/secrets.ts';
import { Sender } from './sending/send.ts';
import { WebhookTests } from './test-webhook.ts';
import { Dispatcher } from './turns/dispatcher.ts';

export interface WebhookSettings {
  readonly WEBHOOK_SECRETS: KeyRing;
  readonly WEBHOOK_ALLOWED_NETWORKS: readonly string[];
}

const USER_AGENT = 'worktrack-webhooks/1';

/** The parts that send what is logged to webhooks: one queues the log's events, the other sends them. */
export class WebhookService {
  readonly box: SecretBox;
  readonly destinations: Destinations;
  readonly tests: WebhookTests;
  readonly #fanOut: FanOut;
  readonly #log: Log;
  readonly #sender: Sender;
  readonly #dispatcher: Dispatcher;
  readonly #stopping = new AbortController();
  #resealing: Promise<void> | undefined;
  #isStarted = false;

  /** @param dnsServers used instead of the system's */
  constructor(settings: WebhookSettings, log: Log, dnsServers?: readonly string[]) {
    this.#log = log;
    this.box = new SecretBox(settings.WEBHOOK_SECRETS);
    this.destinations = new Destinations(
      new AllowedNetworks(settings.WEBHOOK_ALLOWED_NETWORKS),
      'WEBHOOK_ALLOWED_NETWORKS',
      dnsServers,
    );
    this.#sender = new Sender(this.destinations, USER_AGENT);
    const parts = { sender: this.#sender, box: this.box, log };
    this.tests = new WebhookTests(parts);
    this.#dispatcher = new Dispatcher({ ...parts, onWell: (organizationId) => this.#fanOut.wake([organizationId]) });
    this.#fanOut = new FanOut(log, this.#dispatcher);
  }

  /** Nothing is sent before this: its first look finds what was logged by then. */
  start(): void {
    this.#isStarted = true;
    this.#dispatcher.start();
    this.#fanOut.start();
    this.#resealing = resealAll(this.box, this.#log, this.#stopping.signal).catch((error) =>
      this.#log.warn({ error }, 'Not all secrets of webhooks were checked; the next start will do it'),
    );
  }

  /** The log of an organization has grown by these. */
  logged(organizationId: string, events: readonly LoggedEvent[]): void {
    if (this.#isStarted) this.#fanOut.logged(organizationId, events);
  }

  /** Webhooks of these organizations are to continue. */
  wake(organizationIds: Iterable<string>): void {
    if (!this.#isStarted) return;
    this.#fanOut.wake(organizationIds);
    this.#dispatcher.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#resealing;
    // The fan-out first: what it takes is given back at the end of its turn.
    await Promise.all([this.#fanOut.stop().then(() => this.#dispatcher.stop()), this.tests.stop()]);
    this.#sender.close();
  }
}
