import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';

// In the order in which they are offered.

export const TYPES = ['task', 'story', 'feature', 'epic', 'idea'] as const satisfies readonly ItemType[];
export const PRIORITIES = ['urgent', 'high', 'medium', 'low'] as const satisfies readonly Priority[];
