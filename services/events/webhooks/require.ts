import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Scope } from '@worktrack/runtime/database/scope';
import type { WebhookDocument } from './webhooks.model.ts';
import { webhookById } from './webhooks.repository.ts';

export async function requireWebhook(
  id: string,
  context: Pick<ReadContext<'NOT_FOUND'>, 'caller' | 'fail'> & Pick<Scope, 'tx'>,
): Promise<WebhookDocument> {
  const webhook = await webhookById(context, id);
  if (webhook) return webhook;
  throw context.fail('NOT_FOUND', `There is no webhook ${id}. GET /api/webhooks lists them.`);
}
