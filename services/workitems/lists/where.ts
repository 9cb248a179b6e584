import type { ItemRecord } from '../items/items.model.ts';

/** Where listed items are, and what they are like. Nothing of it follows from the rest, so that one index has most or all of it. */
export interface Where {
  readonly place: Partial<Pick<ItemRecord, 'projectId' | 'boardId' | 'boardColumnId' | 'parentId'>>;
  /** That all of it is in, where it is known. */
  readonly projectId: string | undefined;
  readonly like: Partial<Pick<ItemRecord, 'type' | 'priority' | 'assignee'>>;
}

/** Whether an item is among those. */
export function holds({ place, like }: Where, item: Readonly<Record<string, unknown>> | object): boolean {
  const fields = item as Readonly<Record<string, unknown>>;
  return Object.entries({ ...place, ...like }).every(([field, value]) => fields[field] === value);
}
