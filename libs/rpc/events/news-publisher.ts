import { RecoveringChannel } from '../channel.ts';
import type { Broker } from '../connection.ts';
import type { RequestSigner } from '../message/signature.ts';
import { type News, newsMessage } from './message.ts';
import { checkLog, LIVE_EXCHANGE } from './topology.ts';

/** Notifies those who are listening at this moment. Nobody waits for it: lost news is not sent again. */
export class NewsPublisher {
  readonly ready: Promise<void>;

  readonly #broker: Broker;
  readonly #signer: RequestSigner;
  readonly #channel: RecoveringChannel;
  #isFull = false;

  /** @param signer for events (eventSigner of libs/runtime) */
  constructor(broker: Broker, signer: RequestSigner) {
    this.#broker = broker;
    this.#signer = signer;
    this.#channel = new RecoveringChannel(broker.publishing, {
      name: LIVE_EXCHANGE,
      setup: (_, model) => checkLog(model),
      opened: () => this.#drained(),
      drained: () => this.#drained(),
    });
    this.ready = this.#channel.ready;
  }

  tell(organizationId: string, news: News): void {
    const channel = this.#channel.current;
    if (!channel || this.#isFull || this.#broker.publishing.status === 'blocked') return;
    try {
      this.#isFull = !channel.publish(LIVE_EXCHANGE, organizationId, newsMessage(this.#signer, organizationId, news));
    } catch {
      // The channel died under us.
    }
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #drained(): void {
    this.#isFull = false;
  }
}
