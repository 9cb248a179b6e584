import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getItemBrief as operation } from '@worktrack/contracts/work-items/agents/lineage';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { boardsById } from '../boards/boards.repository.ts';
import { columnName } from '../boards/columns.ts';
import { toPlaced } from '../context/present.ts';
import { requireNamed } from '../items/shown/shown.repository.ts';

export async function getItemBrief(
  { id }: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireNamed(context, id);
  const boards = await boardsById(context, [item.boardId]);
  return toPlaced(item, columnName(boards.get(item.boardId), item.boardColumnId));
}
