import type { Card, Grouping } from '@worktrack/contracts/work-items/lists/cards';
import type { SortKey } from '@worktrack/contracts/work-items/lists/list-filters';
import { PRIORITIES } from '../parts/item/item-values.ts';

/** As the service calls the group of items without any. */
const NONE = 'none';

/** The groups that an item is in, by their keys, as the service has them (GET /api/projects/:id/cards/groups). */
export function groupsOf(card: Card, by: Grouping): readonly string[] {
  switch (by) {
    case 'column':
      return [card.boardColumnId];
    case 'epic':
      return [card.epic?.id ?? NONE];
    case 'assignee':
      return [card.assignee ?? NONE];
    case 'label':
      return card.labels.length > 0 ? card.labels.map(({ id }) => id) : [NONE];
    case 'agentState':
      return [card.lease ? (card.lease.stalled ? 'stalled' : card.lease.state) : NONE];
    default:
      return [card[by]];
  }
}

const VALUES: Readonly<Record<SortKey, (card: Card) => string | number | null>> = {
  priority: ({ priority }) => PRIORITIES.indexOf(priority),
  createdAt: ({ id }) => id,
  updatedAt: ({ updatedAt }) => updatedAt,
  dueDate: ({ dueDate }) => dueDate,
  estimate: ({ estimate }) => estimate,
  title: ({ title }) => title.toLowerCase(),
  assignee: ({ assignee }) => assignee?.toLowerCase() ?? null,
};

export type Order = (a: Card, b: Card) => number;

/** The order of a list, for what comes into it. @param sort as the service takes it, such as `priority,-updatedAt`; undefined: newest first */
export function orderOf(sort: string | undefined): Order {
  const keys = sort?.split(',').map((part) => part.trim()) ?? [];
  const by = keys.map((name) => ({
    of: VALUES[name.replace(/^-/, '') as SortKey],
    sign: name.startsWith('-') ? -1 : 1,
  }));
  return (a, b) => {
    for (const { of, sign } of by) {
      const [one, other] = [of?.(a) ?? null, of?.(b) ?? null];
      if (one === other) continue;
      // What has none comes last in both directions.
      if (one === null || other === null) return one === null ? 1 : -1;
      return one < other ? -sign : sign;
    }
    return a.id < b.id ? 1 : -1;
  };
}

/** The order of a column. */
export const byPosition: Order = (a, b) => a.position - b.position || (a.id < b.id ? -1 : 1);
