import { z } from 'zod';
import { DayOrTime } from '../../fields.ts';
import { LabelRef } from '../../projects/label.ts';
import { several } from '../../several.ts';
import { DueDate, plainFields } from '../plain-fields.ts';
import { ItemType, LEASE_STATES } from '../work-item.ts';

/** What lists of items can be narrowed by, besides where the items are. Several values of one filter are alternatives. */
export const itemFilters = {
  type: several(ItemType).optional(),
  ...plainFields.filters,
  assignee: several(z.string().max(200), { keepsSpaced: true }).optional().describe('me: your id, name or address'),
  leaseState: several(z.enum([...LEASE_STATES, 'stalled'])).optional(),
  label: several(LabelRef, { keepsSpaced: true }).optional(),
  dueBefore: DueDate.optional(),
  dueAfter: DueDate.optional(),
  overdue: z.boolean().optional().describe('Due before today (UTC), and not done'),
};

/** Filters by when something happened. */
export const timeFilters = {
  createdAfter: DayOrTime.optional(),
  updatedAfter: DayOrTime.optional(),
};

/** By what a list can be sorted. `priority` begins with the urgent ones; what has no value comes last. */
export const SORT_KEYS = ['priority', 'createdAt', 'updatedAt', 'dueDate', 'estimate'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface SortBy {
  readonly key: SortKey;
  readonly isReversed: boolean;
}

/** @returns undefined if a key is unknown or named twice */
export function sortFrom(text: string): SortBy[] | undefined {
  const keys = text.split(',').map((part) => part.trim());
  const sort = keys.map((name) => ({ key: name.replace(/^-/, '') as SortKey, isReversed: name.startsWith('-') }));
  const isKnown = sort.every(({ key }) => SORT_KEYS.includes(key));
  return isKnown && new Set(sort.map(({ key }) => key)).size === sort.length ? sort : undefined;
}

export const Sort = z
  .string()
  .max(100)
  .refine((text) => sortFrom(text), `must be some of ${SORT_KEYS.join(', ')}, each once, with - for the reverse`)
  .describe('Such as priority,-updatedAt');
