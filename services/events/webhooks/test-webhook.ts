import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { testWebhook as operation } from '@worktrack/contracts/events/webhooks';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { StagedContext } from '@worktrack/runtime/database/implement';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { insertTested } from './deliveries.repository.ts';
import { attempted } from './metrics.ts';
import { requireWebhook } from './require.ts';
import { deliver, type TurnParts } from './turn.ts';

/** Each may take 15 s; of all organizations, and of one. */
const TESTS_AT_ONCE = 32;
const TESTS_OF_ONE = 4;

/** Sends an event that is in no log, once, whether the webhook is enabled or not. */
export class WebhookTests {
  readonly #parts: Pick<TurnParts, 'sender' | 'box' | 'log'>;
  readonly #underWay: string[] = [];

  constructor(parts: Pick<TurnParts, 'sender' | 'box' | 'log'>) {
    this.#parts = parts;
  }

  async run(
    { id }: Input<typeof operation>,
    context: StagedContext<'NOT_FOUND' | 'RATE_LIMITED', Output<typeof operation>>,
  ): Promise<Output<typeof operation>> {
    const { organizationId, userId, keyId } = context.caller;
    const webhook = await requireWebhook(id, context);
    const ofOne = this.#underWay.filter((each) => each === organizationId).length;
    if (this.#underWay.length >= TESTS_AT_ONCE || ofOne >= TESTS_OF_ONE) {
      throw context.fail('RATE_LIMITED', 'Other tests of webhooks are under way. Try again when they have ended.', {
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
    this.#underWay.push(organizationId);
    try {
      const { wishMs, ...outcome } = { ...(await deliver(webhook, event, { attempt: 1, at }, this.#parts)), at };
      attempted(outcome);
      return await context.commit(async ({ writes }) => insertTested({ ...context, writes }, id, event, outcome));
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(organizationId), 1);
    }
  }
}
