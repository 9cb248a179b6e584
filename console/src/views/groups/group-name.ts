import type { Grouping } from '@worktrack/contracts/work-items/lists/cards';
import { itemWords } from '../../parts/item/item-words.ts';
import { NONE } from '../filters/filters.ts';
import { words } from '../filters/messages.ts';

/** How a group is called. @param group as the service describes it (GET /api/projects/:id/cards/groups) */
export function groupName(by: Grouping, { key, name }: { readonly key: string; readonly name: string | null }): string {
  const none = { assignee: words.nobody, label: words.noLabel, epic: words.noEpic, agentState: words.noAgent };
  if (key === NONE) return none[by as keyof typeof none] ?? key;
  const word = by === 'assignee' ? undefined : itemWords[key as 'task'];
  return name ?? word ?? key;
}
