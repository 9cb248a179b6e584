import type { updateNotificationSettings as configureOperation } from '@worktrack/contracts/events/notifications';
import type { listNotifications as operation } from '@worktrack/contracts/gateway/notifications';
import type { WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import type { Composition, CompositionContext } from './composition.ts';

/** What the user was told of, with the items as they are now. */
export const listNotifications: Composition<typeof operation> = async (input, context) => {
  const { notifications, ...rest } = await context.clients.events.call('notifications.stored', input, context.options);
  const items = await summariesOf(notifications, context);
  const shown = notifications.map((each) => {
    const workItem = items.get(each.workItemId);
    return { ...each, ...(workItem && { workItem }) };
  });
  return { output: { notifications: shown, ...rest }, replayed: false };
};

/** With the address for mail, which the events service does not know. */
export const configureNotifications: Composition<typeof configureOperation> = (input, { identity, clients, options }) =>
  clients.events.exchange('notifications.store', { ...input, address: identity.user.email }, options);

/** The items that are there, by id. */
export async function summariesOf(
  about: readonly { readonly workItemId: string }[],
  { clients, options }: Pick<CompositionContext, 'clients' | 'options'>,
): Promise<ReadonlyMap<string, WorkItemSummary>> {
  const ids = [...new Set(about.map(({ workItemId }) => workItemId))];
  if (ids.length === 0) return new Map();
  const { workItems } = await clients.workitems.call('workItems.summaries', { ids }, options);
  return new Map(workItems.map((item) => [item.id, item]));
}
