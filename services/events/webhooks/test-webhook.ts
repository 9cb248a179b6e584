import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Delivery } from '@worktrack/contracts/events/webhook';
import type { testWebhook as operation } from '@worktrack/contracts/events/webhooks';
import type { Input } from '@worktrack/contracts/operation';
import type { StagedContext } from '@worktrack/runtime/database/handlers/contexts';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { insertTested } from './deliveries/deliveries.repository.ts';
import { requireWebhook } from './require.ts';
import { deliver, type TurnParts } from './turns/turn.ts';
import type { WebhookDocument } from './webhooks.model.ts';

/** Each may take 15 s. Across all organizations, and for one. */
const TESTS_AT_ONCE = 32;
const TESTS_OF_ONE = 4;

type Context = StagedContext<'NOT_FOUND' | 'RATE_LIMITED', Delivery>;

/** Sends an event that is not in the log, once, whether or not the webhook is enabled. */
export class WebhookTests {
  readonly #parts: Pick<TurnParts, 'sender' | 'box' | 'log'>;
  readonly #underWay = new Map<Promise<Delivery>, string>();

  constructor(parts: Pick<TurnParts, 'sender' | 'box' | 'log'>) {
    this.#parts = parts;
  }

  /** Waits for those in progress to end. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#underWay.keys());
  }

  async run({ id }: Input<typeof operation>, context: Context): Promise<Delivery> {
    const { organizationId, userId, keyId } = context.caller;
    const webhook = await requireWebhook(id, context);
    const ofOne = [...this.#underWay.values()].filter((each) => each === organizationId).length;
    if (this.#underWay.size >= TESTS_AT_ONCE || ofOne >= TESTS_OF_ONE) {
      throw context.fail('RATE_LIMITED', 'Other webhook tests are in progress. Try again when they have finished.', {
        retryAfterSeconds: 5,
      });
    }
    const at = new Date();
    const event: LoggedEvent = {
      seq: 0,
      id: uuidv7(),
      type: 'webhook.test',
      at: at.toISOString(),
      actor: { userId, keyId },
      subject: { kind: 'webhook', id },
      revision: webhook.revision,
      data: {},
    };
    const test = this.#send(webhook, event, at, context);
    this.#underWay.set(test, organizationId);
    return test.finally(() => this.#underWay.delete(test));
  }

  async #send(webhook: WebhookDocument, event: LoggedEvent, at: Date, context: Context): Promise<Delivery> {
    const { wishMs, ...outcome } = { ...(await deliver(webhook, event, { attempt: 1, at }, this.#parts)), at };
    return context.commit(async ({ writes }) => insertTested({ ...context, writes }, webhook._id, event, outcome));
  }
}
