import type {
  NotificationKind,
  getNotificationSettings as readOperation,
  updateNotificationSettings as writeOperation,
} from '@worktrack/contracts/events/notifications';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { saveKinds, settingsOfUsers } from './notifications.repository.ts';

type Kinds = Readonly<Record<NotificationKind, boolean>>;

/** Edits are many, and rarely news. */
const DEFAULT: Kinds = { mention: true, assigned: true, need: true, comment: true, move: true, change: false };

export const withDefaults = (kinds: Partial<Kinds> | undefined): Kinds => ({ ...DEFAULT, ...kinds });

export async function settingsOf(
  _: Input<typeof readOperation>,
  { caller: { organizationId, userId } }: ReadContext,
): Promise<Output<typeof readOperation>> {
  const found = await settingsOfUsers([organizationId], [userId]);
  return { kinds: withDefaults(found.get(userId)) };
}

export async function configure(
  { kinds }: Input<typeof writeOperation>,
  { caller, tx }: WriteContext,
): Promise<Output<typeof writeOperation>> {
  return { kinds: withDefaults(await saveKinds(caller, kinds, tx)) };
}
