import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { BoardRecord } from '../boards/boards.model.ts';
import type { ItemRecord } from './items.model.ts';
import { toWorkItem } from './present.ts';

/** @param expected the version that the caller has read, if given @throws CONFLICT with the item as it is, for callers that may read it */
export function requireVersion(
  { caller, fail }: Pick<ReadContext<'CONFLICT'>, 'caller' | 'fail'>,
  item: ItemRecord,
  board: BoardRecord,
  expected: number | undefined,
): void {
  if (expected === undefined || expected === item.version) return;
  const mayRead = caller.permissions.includes('work-items:read');
  throw fail(
    'CONFLICT',
    `${item.taskId} is at version ${item.version}, not ${expected}: it has changed since you read it. ${mayRead ? 'Look at `current` and repeat with its version.' : 'Read it and repeat with its version.'}`,
    mayRead ? { current: toWorkItem(item, board) } : {},
  );
}
