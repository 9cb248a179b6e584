import type { ItemBrief, PlacedItem } from '@worktrack/contracts/work-items/agents/context';
import type { BoardRecord } from '../boards/boards.model.ts';
import { columnIn } from '../boards/columns.ts';
import type { ItemRecord } from '../items/items.model.ts';

type Named = Pick<ItemRecord, '_id' | 'taskId' | 'title' | 'type'>;

export function toBrief({ _id, taskId, title, type }: Named): ItemBrief {
  return { id: _id, taskId, title, type };
}

/** @param boards those of all items that are shown */
export function toPlaced(
  item: Named & Pick<ItemRecord, 'boardId' | 'boardColumnId'>,
  boards: ReadonlyMap<string, BoardRecord>,
): PlacedItem {
  return { ...toBrief(item), columnName: columnIn(boards, item).name };
}
