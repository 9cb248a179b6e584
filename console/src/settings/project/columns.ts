import type { Output, RawInput } from '@worktrack/contracts/operation';
import type { Board, Column } from '@worktrack/contracts/projects/board';
import type { getBoard, updateBoard } from '@worktrack/contracts/projects/board-operations';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { currentOf } from '../../api/service-error.ts';
import { words as parts } from '../../parts/messages.ts';
import { tell } from '../../parts/popup/toasts.tsx';
import { did } from '../../parts/popup/undo.ts';
import { changedAsItIs } from './change.ts';
import { words } from './messages.ts';

/** As it is given to the service: one without an id is new. */
export type Given = NonNullable<RawInput<typeof updateBoard>['columns']>[number];
type Columns = readonly Column[];

/** One after the other, for each gives the whole list: of two at once, the later would undo the earlier. */
let earlier: Promise<unknown> = Promise.resolve();
let waiting = 0;
/** Then the columns are shown as they will be, and are read again after the last change. */
export const isChanging = () => waiting > 0;

/**
 * Changes the columns of a board as they are when it is done, not as they were drawn; they are shown at once as they will be.
 * @param change may be called several times
 * @param said what was done, given the columns after it
 */
export async function changeColumns(
  board: Board,
  change: (columns: Columns) => Given[],
  said: (after: Columns) => string,
): Promise<void> {
  show(board, (columns) => shownAs(columns, change(columns)));
  waiting++;
  const result = earlier.then(async () => {
    const read = () => call<typeof getBoard>('GET /api/boards/:id', { id: board.id });
    const { before, after } = await changedAsItIs(read, (now) => write(now, change(now.columns)));
    did(said(after.columns), async () => {
      const isThere = new Set(after.columns.map(({ id }) => id));
      const undone = before.columns.map(({ id, ...column }) => given(isThere.has(id) ? { id, ...column } : column));
      await write(after, undone).catch((error: unknown) => {
        throw currentOf(error) ? new Error(words.overtaken) : error;
      });
      await reread(board);
    });
    for (const warning of after.warnings ?? []) tell(warning, { label: parts.close, run: () => {} });
  });
  earlier = result.catch(() => {});
  try {
    await result;
  } finally {
    waiting--;
    // What is still to come has been shown already.
    if (waiting === 0) await reread(board);
  }
}

export const given = ({ id, name, role, limit }: Given): Given => ({ ...(id && { id }), name, role, limit });

/** @param at counted without it */
export function placed(columns: Columns, id: string, at: number): Given[] {
  const moved = columns.filter((column) => column.id === id);
  const others = columns.filter((column) => column.id !== id);
  return others.toSpliced(at, 0, ...moved).map(given);
}

const write = ({ id, version }: Board, columns: Given[]): Promise<Output<typeof updateBoard>> =>
  call<typeof updateBoard>('PATCH /api/boards/:id', { id, columns }, { version });

const keyOf = ({ projectId }: Board) => ['boards', projectId];

function show(board: Board, change: (columns: Columns) => Column[]): void {
  void queries.cancelQueries({ queryKey: keyOf(board) });
  queries.setQueryData<Board[]>(keyOf(board), (boards) =>
    boards?.map((each) => (each.id === board.id ? { ...each, columns: change(each.columns) } : each)),
  );
}

/** A new one is shown when it has an id, and one that is deleted until it is: one that holds items is refused. */
function shownAs(before: Columns, after: readonly Given[]): Column[] {
  const known = after.flatMap((column, position) => {
    const found = before.find(({ id }) => id === column.id);
    return found ? [{ ...found, name: column.name, position }] : [];
  });
  return known.length < before.length ? [...before] : known;
}

/** Works even when there is no stream of events. */
async function reread(board: Board): Promise<void> {
  await queries.invalidateQueries({ queryKey: keyOf(board) });
  void queries.invalidateQueries({ queryKey: ['board', board.id] });
}
