import type { replayWebhook as operation } from '@worktrack/contracts/events/webhooks';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { headOf, setBack } from '../log/heads.repository.ts';
import { oldestOf } from '../log/places.repository.ts';
import { replayable, sendAgain } from './deliveries/deliveries.repository.ts';
import { requireWebhook } from './require.ts';
import type { WebhookService } from './service.ts';
import { changeWebhook } from './webhooks.repository.ts';

type Context = WriteContext<'NOT_FOUND' | 'VALIDATION_FAILED'>;

/** Sends events again, with their original ids. A range of the log is read again from there; single deliveries are retried. */
export async function replay(
  webhooks: WebhookService,
  { id, after, deliveryIds }: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  if ((after === undefined) === (deliveryIds === undefined)) {
    const message = 'give either after or deliveryIds';
    throw context.fail('VALIDATION_FAILED', `after: ${message}.`, { details: [{ path: 'after', message }] });
  }
  // If this process ends before it can notify anybody, the next look finds it.
  context.writes.afterwards(() => webhooks.wake([context.caller.organizationId]));
  return {
    replayed: await (deliveryIds ? again(id, deliveryIds, context) : readAgain(id, after ?? 0, context)),
  };
}

/** Sets the webhook's cursor back: from there, everything is as it was the first time. */
async function readAgain(id: string, after: number, context: Context): Promise<number> {
  const webhook = await requireWebhook(id, context);
  const { organizationId } = context.caller;
  const head = await headOf(organizationId, context.tx);
  const oldest = (await oldestOf(organizationId)) ?? head + 1;
  if (after < oldest - 1) {
    const message = `must be at least ${oldest - 1}: the log begins at ${oldest}`;
    throw context.fail('VALIDATION_FAILED', `after: ${message}.`, { details: [{ path: 'after', message }] });
  }
  if (after > webhook.cursor) {
    const message = `must be at most ${webhook.cursor}: later events have not been sent yet`;
    throw context.fail('VALIDATION_FAILED', `after: ${message}.`, { details: [{ path: 'after', message }] });
  }
  if (head > 0) setBack(context, organizationId);
  changeWebhook(context, webhook, { cursor: after, notBefore: null });
  return head - after;
}

async function again(id: string, deliveryIds: readonly string[], context: Context): Promise<number> {
  const webhook = await requireWebhook(id, context);
  const wanted = new Set(deliveryIds);
  const found = await replayable(context, id, [...wanted]);
  const missing = [...wanted].find((each) => !found.some(({ _id }) => _id === each));
  if (missing !== undefined) {
    throw context.fail('NOT_FOUND', `The webhook has no delivery ${missing} of an event in the log.`);
  }
  for (const delivery of found) sendAgain(context, delivery);
  changeWebhook(context, webhook, { dueAt: new Date(), notBefore: null });
  return found.length;
}
