import type { Delivery } from '@worktrack/contracts/events/webhook';
import type { listDeliveries as operation } from '@worktrack/contracts/events/webhooks';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { at } from '../../log/places.repository.ts';
import { requireWebhook } from '../require.ts';
import { pageOfDeliveries } from './deliveries.repository.ts';

/** Newest first; `nextCursor` is null on the last page. */
export const deliveriesOf: Read<typeof operation> = async ({ id, state, limit, cursor }, context) => {
  await requireWebhook(id, context);
  // One more than requested shows whether there is another page.
  const found = await pageOfDeliveries(context, id, { state, before: cursor, limit: limit + 1 });
  const page = found.slice(0, limit);
  return { items: await seenBy(context, page), nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
};

/** Before the webhook was given to a project of theirs, it may have sent what does not exist for a limited caller. */
async function seenBy(
  { caller: { organizationId, projects } }: Pick<ReadContext, 'caller'>,
  page: readonly Delivery[],
): Promise<Delivery[]> {
  if (!projects) return [...page];
  const events = await at(
    organizationId,
    page.map(({ seq }) => seq),
  );
  // A test is in no log.
  return page.filter(({ seq }) => seq === 0 || projects.includes(events.get(seq)?.projectId ?? ''));
}
