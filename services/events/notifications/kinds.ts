import type { NotificationKind } from '@worktrack/contracts/events/notifications';

type Kinds = Readonly<Record<NotificationKind, boolean>>;

/** Edits are many, and rarely news. */
const DEFAULT: Kinds = { mention: true, assigned: true, need: true, comment: true, move: true, change: false };

export const withDefaults = (kinds: Partial<Kinds> | undefined): Kinds => ({ ...DEFAULT, ...kinds });
