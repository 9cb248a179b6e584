import type { Card, Grouping } from '@worktrack/contracts/work-items/lists/cards';
import { NONE } from '../filters/filters.ts';

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
