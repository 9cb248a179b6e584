import { webhooksContract } from '@worktrack/contracts/events/webhooks';
import { implement, recorded, staged } from '@worktrack/runtime/database/implement';
import { deliveriesOf } from './deliveries.ts';
import { replay } from './replay.ts';
import type { WebhookService } from './service.ts';
import { recordOf, webhooksOf } from './webhooks.repository.ts';
import { createWebhook, deleteWebhook, getWebhook, rotateSecret, updateWebhook } from './webhooks.ts';

export function webhookHandlers(webhooks: WebhookService) {
  return implement(webhooksContract, {
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
