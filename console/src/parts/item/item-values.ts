import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';

// In the order in which they are offered.

export const TYPES = ['task', 'story', 'feature', 'epic', 'idea'] as const satisfies readonly ItemType[];
export const PRIORITIES = ['urgent', 'high', 'medium', 'low'] as const satisfies readonly Priority[];

/** Of a field for one: nothing with a year that is not yet written to its end, or has five digits. */
export const DUE_DATES = { min: '1900-01-01', max: '9999-12-31' } as const;
