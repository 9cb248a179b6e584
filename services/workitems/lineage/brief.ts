import type { getItemBrief as operation } from '@worktrack/contracts/work-items/agents/lineage';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardsById } from '../boards/boards.repository.ts';
import { columnName } from '../boards/columns.ts';
import { toPlaced } from '../context/present.ts';
import { requireNamed } from '../items/shown/shown.repository.ts';

export const getItemBrief: Read<typeof operation> = async ({ id }, context) => {
  const item = await requireNamed(context, id);
  const boards = await boardsById(context, [item.boardId]);
  return toPlaced(item, columnName(boards.get(item.boardId), item.boardColumnId));
};
