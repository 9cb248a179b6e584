import type { Board } from '@worktrack/contracts/projects/board';
import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { useBusy } from '../parts/busy.ts';
import { TextField } from '../parts/form/field.tsx';
import { words as common } from '../parts/messages.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { words } from './messages.ts';

/** Where agents take tasks from. */
const READY = 'To Do';

export function NewTask({ board }: { readonly board: Board }) {
  const [title, setTitle] = useState('');
  const { isBusy, run } = useBusy(common.notCreated);
  const column =
    board.columns.find(({ name }) => name === READY) ??
    board.columns.find(({ role }) => role === 'todo' || role === 'backlog');
  const create = (event: Event) => {
    event.preventDefault();
    if (!column || !title.trim()) return;
    void run(async () => {
      const { taskId } = await call<typeof createWorkItem>('POST /api/work-items', {
        type: 'task',
        title,
        projectId: board.projectId,
        boardId: board.id,
        boardColumnId: column.id,
      });
      tell(words.created({ task: taskId }));
      // Works even when there is no stream of events.
      await queries.invalidateQueries({ queryKey: ['cards'] });
    });
  };
  return (
    <li class="panel">
      <h2>{words.newTask}</h2>
      <form class="stack" onSubmit={create}>
        <TextField
          label={words.title}
          help={column && words.newTaskHelp({ column: column.name })}
          value={title}
          onChange={setTitle}
        />
        <div>
          <button type="submit" class="button button-main" aria-disabled={isBusy || !title.trim()}>
            {words.create}
          </button>
        </div>
      </form>
    </li>
  );
}
