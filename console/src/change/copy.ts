import type { getBoard } from '@worktrack/contracts/projects/board-operations';
import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import type { deleteWorkItem } from '@worktrack/contracts/work-items/changes/delete';
import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { PLAIN_FIELDS } from '../parts/item/plain-fields.ts';
import { words as common } from '../parts/messages.ts';
import { tell, tellFailure } from '../parts/popup/toasts.tsx';
import { did } from '../parts/popup/undo.ts';
import { go, to } from '../router.ts';
import { askDeletion } from './ask.ts';
import { each, named, tellLeft } from './many.ts';
import { words } from './messages.ts';
import { showTrue } from './shown.ts';

/** Columns in which work waits: a copy of what is further is not. */
const WAITING: readonly unknown[] = ['backlog', 'todo', null];

/** The same again, not worked on yet: without what became of it. */
export async function duplicate(taskId: string): Promise<void> {
  try {
    const item = await call<typeof getWorkItem>('GET /api/work-items/:id', { id: taskId });
    const { columns } = await call<typeof getBoard>('GET /api/boards/:id', { id: item.boardId });
    const { title, description, type, labels, parentId, projectId, boardId, metadata } = item;
    const plain = PLAIN_FIELDS.flatMap((field) => (item[field] === null ? [] : [[field, item[field]]]));
    const own = columns.find(({ id }) => id === item.boardColumnId);
    const column =
      own && WAITING.includes(own.role) ? own : (columns.find(({ role }) => role === 'backlog') ?? columns[0]);
    const copy = await call<typeof createWorkItem>('POST /api/work-items', {
      ...{ title, description, type, projectId, boardId, boardColumnId: column?.id ?? item.boardColumnId },
      ...{ labels: labels.map(({ id }) => id) },
      ...(Object.fromEntries(plain) as object),
      ...(parentId && { parentId }),
      ...(Array.isArray(metadata.dependsOn) && { dependsOn: metadata.dependsOn.map(String) }),
    });
    didCreate(words.duplicated({ copy: copy.taskId, taskId }), [copy]);
  } catch (error) {
    tellFailure(common.notCreated, error);
  }
}

/** Says that items were created, and offers to open the first and to undo it, as long as nobody has done anything to them. */
export function didCreate(text: string, created: readonly Pick<WorkItem, 'id' | 'taskId' | 'version'>[]): void {
  const [first] = created;
  // Works even when there is no stream of events.
  void queries.invalidateQueries({ queryKey: ['cards'] });
  if (!first) return;
  const undo = async () => {
    const now = await Promise.all(created.map(({ id }) => call<typeof getWorkItem>('GET /api/work-items/:id', { id })));
    const changed = now.find((item, at) => item.version !== created[at]?.version);
    if (changed) throw new Error(words.overtaken({ what: changed.taskId }));
    // Children before their parents.
    for (const { id } of created.toReversed()) await call<typeof deleteWorkItem>('DELETE /api/work-items/:id', { id });
    void queries.invalidateQueries({ queryKey: ['cards'] });
  };
  did(text, undo, [{ label: common.open, run: () => go(to(`items/${first.taskId}`)), passes: true }]);
}

/** Asks first: this cannot be undone. @returns whether it was done */
export async function deleteItems(items: readonly Pick<Card, 'id' | 'taskId'>[]): Promise<boolean> {
  if (!(await askDeletion(named(items), words.deleteText))) return false;
  const { done, left } = await each(items, ({ id }) =>
    call<typeof deleteWorkItem>('DELETE /api/work-items/:id', { id }),
  );
  if (done.length > 0) tell(words.deleted({ what: named(items, done.length) }));
  tellLeft(left, words.notDeleted);
  showTrue(items.map(({ id }) => id));
  return left.length === 0;
}
