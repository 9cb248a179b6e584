import { eventsContract } from '@worktrack/contracts/events/contract';
import { implement, recorded, staged } from '@worktrack/runtime/database/implement';
import { readLog } from './log/read.ts';
import { deliveriesOf } from './webhooks/deliveries.ts';
import { replay } from './webhooks/replay.ts';
import type { WebhookService } from './webhooks/service.ts';
import { recordOf, webhooksOf } from './webhooks/webhooks.repository.ts';
import { createWebhook, deleteWebhook, getWebhook, rotateSecret, updateWebhook } from './webhooks/webhooks.ts';

export function handlers(webhooks: WebhookService) {
  return implement(eventsContract, {
    'events.list': readLog,
    'webhooks.list': async (_, context) => (await webhooksOf(context)).map(recordOf),
    'webhooks.create': recorded(
      (input, context) => createWebhook(webhooks, input, context),
      (answer) => ({ ...answer, secret: null }),
    ),
    'webhooks.get': getWebhook,
    'webhooks.update': (input, context) => updateWebhook(webhooks, input, context),
    'webhooks.delete': deleteWebhook,
    'webhooks.rotate': recorded(
      (input, context) => rotateSecret(webhooks, input, context),
      (answer) => ({ ...answer, secret: null }),
    ),
    'webhooks.test': staged((input, context) => webhooks.tests.run(input, context)),
    'webhooks.deliveries': deliveriesOf,
    'webhooks.replay': (input, context) => replay(webhooks, input, context),
  });
}
