import type { listDeliveries as operation } from '@worktrack/contracts/events/webhooks';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { requireWebhook } from '../require.ts';
import { pageOfDeliveries } from './deliveries.repository.ts';

/** Newest first; `nextCursor` is null on the last page. */
export async function deliveriesOf(
  { id, state, limit, cursor }: Input<typeof operation>,
  context: ReadContext<'NOT_FOUND'>,
): Promise<Output<typeof operation>> {
  await requireWebhook(id, context);
  // One more than requested shows whether there is another page.
  const found = await pageOfDeliveries(context, id, { state, before: cursor, limit: limit + 1 });
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}
