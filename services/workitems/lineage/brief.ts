import type { getItemBrief as operation } from '@worktrack/contracts/work-items/agents/lineage';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardsWith } from '../boards/boards.repository.ts';
import { toPlaced } from '../context/present.ts';
import { requireNamed } from '../items/shown/shown.repository.ts';

export const getItemBrief: Read<typeof operation> = async ({ id }, context) => {
  const item = await requireNamed(context, id);
  const boards = await boardsWith(context, [item]);
  return toPlaced(item, boards);
};
