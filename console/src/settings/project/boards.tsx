import type { Board } from '@worktrack/contracts/projects/board';
import type { createBoard, deleteBoard, updateBoard } from '@worktrack/contracts/projects/board-operations';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { attempt } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { Select } from '../../parts/form/select.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Gone } from '../../parts/page/gone.tsx';
import { Loaded } from '../../parts/page/states.tsx';
import { Confirm, Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { did } from '../../parts/popup/undo.ts';
import { type Project, useBoards } from '../../parts/project.ts';
import { filter, setFilters } from '../../router.ts';
import { may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { changeProject } from './change.ts';
import { ColumnForm } from './column-form.tsx';
import { ColumnList } from './column-list.tsx';
import { isChanging } from './columns.ts';
import { words } from './messages.ts';

/** One board of the project at a time, the one that the address names or the default. */
export function Boards({ project }: { readonly project: Project }) {
  const boards = useBoards(project.id, { isAhead: isChanging });
  return <Loaded query={boards}>{(all) => <Chosen project={project} boards={all} />}</Loaded>;
}

/** The service refuses it while it holds items. */
async function remove({ id, projectId }: Board): Promise<void> {
  await call<typeof deleteBoard>('DELETE /api/boards/:id', { id });
  if (filter('board') === id) setFilters({ board: undefined });
  await queries.invalidateQueries({ queryKey: ['boards', projectId] });
}

type Open = 'new' | 'rename' | 'column' | 'delete';

function Chosen({ project, boards }: { readonly project: Project; readonly boards: readonly Board[] }) {
  const [asked, ask] = useState<{ readonly what: Open; readonly of: string }>();
  const named = filter('board');
  const board = boards.find(({ id }) => id === (named ?? project.defaultBoardId));
  if (!board) return named ? <Gone what="board" others={boards} /> : null;
  // What is open for one that others delete meanwhile is not for another.
  const open = asked?.of === board.id ? asked.what : undefined;
  const setOpen = (what: Open) => ask({ what, of: board.id });
  const close = () => ask(undefined);
  const isDefault = board.id === project.defaultBoardId;
  return (
    <>
      <div class="row">
        <h2 class={boards.length > 1 ? 'unseen' : undefined}>{board.name}</h2>
        {boards.length > 1 && (
          <Select
            inline
            aria-label={words.board}
            value={board.id}
            options={boards.map(({ id, name }) => [id, name])}
            onChoose={(id) => setFilters({ board: id }, 'push')}
          />
        )}
        {isDefault && <span class="tag">{words.default}</span>}
        {may('projects:write') && (
          <>
            <Button text={common.rename} onClick={() => setOpen('rename')} />
            {!isDefault && (
              <>
                <Button
                  text={words.makeDefault}
                  onClick={() => void changeProject(project, { defaultBoardId: board.id })}
                />
                <Button look="bad" text={common.deleteOf({ name: board.name })} onClick={() => setOpen('delete')} />
              </>
            )}
            <Button text={words.newBoard} onClick={() => setOpen('new')} />
            <Button look="main" text={words.newColumn} onClick={() => setOpen('column')} />
          </>
        )}
      </div>
      <ColumnList key={board.id} board={board} />
      {open === 'new' && <BoardForm projectId={project.id} onClose={close} />}
      {open === 'rename' && <BoardForm projectId={project.id} board={board} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={common.deleteOf({ name: board.name })}
          text={words.deleteBoardText}
          action={parts.delete}
          onConfirm={() =>
            void attempt(parts.notChanged, async () => {
              await remove(board);
              tell(common.deleted({ name: board.name }));
            })
          }
          onClose={close}
        />
      )}
      {open === 'column' && <ColumnForm board={board} onClose={close} />}
    </>
  );
}

interface BoardFormProps {
  readonly projectId: string;
  /** The one being renamed; if absent, a new one is created. */
  readonly board?: Board;
  readonly onClose: () => void;
}

function BoardForm({ projectId, board, onClose }: BoardFormProps) {
  const [name, setName] = useState(board?.name ?? '');
  const reread = () => queries.invalidateQueries({ queryKey: ['boards', projectId] });
  const rename = (id: string, to: string) => call<typeof updateBoard>('PATCH /api/boards/:id', { id, name: to });
  const save = async () => {
    if (board) {
      await rename(board.id, name);
      did(words.changed({ name }), () => rename(board.id, board.name).then(reread));
      await reread();
    } else {
      const made = await call<typeof createBoard>('POST /api/projects/:id/boards', { id: projectId, name });
      did(words.added({ name }), () => remove(made));
      await reread();
      setFilters({ board: made.id }, 'push');
    }
    onClose();
  };
  const isReady = name.trim() !== '';
  return (
    <Dialog title={board ? common.editOf({ name: board.name }) : words.newBoard} onClose={onClose}>
      <DialogForm action={board ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField
          label={common.name}
          {...(!board && { help: words.newBoardHelp })}
          value={name}
          name="name"
          onChange={setName}
        />
      </DialogForm>
    </Dialog>
  );
}
