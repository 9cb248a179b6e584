import type { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import type { WriteScope } from '../calls/scope.ts';
import { type NewEvent, record } from '../history/history.repository.ts';
import { tell } from '../history/tell.ts';
import { asRead } from '../items/grounds.ts';
import { type ToldItem, written } from './change-item.ts';

/** What the log reports about an item whose own fields stay as they are. Excludes its deletion, like recordOn. */
export function tellOn(
  scope: WriteScope,
  item: ToldItem,
  type: Parameters<typeof tell>[2],
  data: Readonly<Record<string, unknown>>,
): void {
  scope.writes.rely(asRead(item), 'exclusive');
  tell(scope, written(item), type, data);
}

/** An event that comes with no change to the item, such as a comment. Excludes the item's deletion, so that no event comes after it. */
export function recordOn(scope: WriteScope, item: ToldItem, event: NewEvent): HistoryEvent {
  scope.writes.rely(asRead(item), 'exclusive');
  const [recorded] = record(scope, written(item), [event]);
  if (!recorded) throw new Error('An event was recorded and is not there.');
  return recorded;
}
