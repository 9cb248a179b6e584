import type { ItemType } from '@worktrack/contracts/work-items/work-item';

/** In the order in which they are offered. */
export const TYPES = ['task', 'story', 'feature', 'epic', 'idea'] as const satisfies readonly ItemType[];
