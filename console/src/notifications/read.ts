import type { readNotifications } from '@worktrack/contracts/events/notifications';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';

export const LIST = ['notifications', 'list'];

/** Marks what was told of an item as read, or everything. */
export async function markRead(which: { readonly workItemId?: string }): Promise<void> {
  await call<typeof readNotifications>('POST /api/notifications/read', which);
  await Promise.all([LIST, ['for-you']].map((queryKey) => queries.invalidateQueries({ queryKey })));
}
