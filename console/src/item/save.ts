import type { RawInput } from '@worktrack/contracts/operation';
import type { updateWorkItem } from '@worktrack/contracts/work-items/changes/update';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { ServiceError } from '../api/service-error.ts';

export type Changes = Pick<
  RawInput<typeof updateWorkItem>,
  PlainField | 'title' | 'description' | 'type' | 'assignee' | 'boardColumnId' | 'labels' | 'reason'
>;

/** How often others may change other fields at the same time. */
const MAX_ATTEMPTS = 5;

/** Somebody else has changed the same field. */
export class Overtaken extends Error {
  readonly current: WorkItem;

  constructor(current: WorkItem) {
    super(`${current.taskId} was changed meanwhile.`);
    this.current = current;
  }
}

/**
 * Saves changes to an item as it was when they started. If others have changed other fields since, that is not a conflict.
 * @throws Overtaken if they have changed the same ones
 */
export async function saveItem(base: WorkItem, changes: Changes): Promise<WorkItem> {
  let known = base;
  for (let attempts = 1; ; attempts++) {
    try {
      const input = { id: base.id, ...changes };
      const saved = await call<typeof updateWorkItem>('PATCH /api/work-items/:id', input, { version: known.version });
      showItem(saved);
      return saved;
    } catch (error) {
      const current =
        error instanceof ServiceError && error.code === 'CONFLICT' ? (error.current as WorkItem) : undefined;
      if (!current) throw error;
      showItem(current);
      const isSame = (Object.keys(changes) as (keyof WorkItem)[]).some(
        // Labels are a list.
        (field) => JSON.stringify(current[field]) !== JSON.stringify(base[field]),
      );
      if (isSame || attempts >= MAX_ATTEMPTS) throw new Overtaken(current);
      known = current;
    }
  }
}

/** The latest known state of an item, under each name by which it is viewed. */
function showItem(item: WorkItem): void {
  for (const name of [item.id, item.taskId]) {
    queries.setQueryData<WorkItem>(['item', name], (shown) => (shown && shown.version > item.version ? shown : item));
  }
}
