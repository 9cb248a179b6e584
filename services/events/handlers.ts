import { eventsContract } from '@worktrack/contracts/events/contract';
import { write } from '@worktrack/runtime/database/handler-kinds';
import { implement } from '@worktrack/runtime/database/implement';
import { readLog } from './log/read.ts';
import { deliveriesOf } from './webhooks/deliveries/deliveries.ts';
import { replay } from './webhooks/replay.ts';
import type { WebhookService } from './webhooks/service.ts';
import { recordOf, webhooksOf } from './webhooks/webhooks.repository.ts';
import { createWebhook, deleteWebhook, getWebhook, rotateSecret, updateWebhook } from './webhooks/webhooks.ts';

export function handlers(webhooks: WebhookService) {
  return implement(eventsContract, {
    'events.list': readLog,
    'webhooks.list': async (_, context) => (await webhooksOf(context)).map(recordOf),
    'webhooks.create': write((input, context) => createWebhook(webhooks, input, context), {
      record: (answer) => ({ ...answer, secret: null }),
    }),
    'webhooks.get': getWebhook,
    'webhooks.update': (input, context) => updateWebhook(webhooks, input, context),
    'webhooks.delete': deleteWebhook,
    'webhooks.rotate': write((input, context) => rotateSecret(webhooks, input, context), {
      record: (answer) => ({ ...answer, secret: null }),
    }),
    'webhooks.test': write((input, context) => webhooks.tests.run(input, context), { staged: true }),
    'webhooks.deliveries': deliveriesOf,
    'webhooks.replay': (input, context) => replay(webhooks, input, context),
  });
}
