import type { ItemBrief, PlacedItem } from '@worktrack/contracts/work-items/agents/context';
import type { ItemRecord } from '../items/items.model.ts';

type Named = Pick<ItemRecord, '_id' | 'taskId' | 'title' | 'type'>;

export function toBrief({ _id, taskId, title, type }: Named): ItemBrief {
  return { id: _id, taskId, title, type };
}

export function toPlaced(item: Named, columnName: string): PlacedItem {
  return { ...toBrief(item), columnName };
}
