import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { Scope } from '../calls/scope.ts';
import { ancestorIdsOf } from '../items/found-by.ts';
import type { ListedItem } from '../items/shown/views.ts';
import { namedById } from './listed-items.repository.ts';

type Epic = NonNullable<Card['epic']>;

/** By item the epic that it is, or is below. Epics have no parents, so it is the topmost, if any is. */
export async function epicsAbove(
  scope: Scope,
  rows: readonly Pick<ListedItem, '_id' | 'taskId' | 'title' | 'type' | 'parentId'>[],
): Promise<ReadonlyMap<string, Epic>> {
  const parents = await namedById(scope, new Set(rows.flatMap(({ parentId }) => parentId ?? [])));
  const topIds = new Map([...parents].map(([id, parent]) => [id, ancestorIdsOf(parent).at(-1) ?? id]));
  const farther = new Set([...topIds.values()].filter((id) => !parents.has(id)));
  const tops = new Map([...parents, ...(await namedById(scope, farther))]);
  return new Map(
    rows.flatMap((row) => {
      const top = row.parentId === null ? row : tops.get(topIds.get(row.parentId) ?? '');
      if (top?.type !== 'epic') return [];
      return [[row._id, { id: top._id, taskId: top.taskId, title: top.title }] as const];
    }),
  );
}
