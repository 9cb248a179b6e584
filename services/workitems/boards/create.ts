import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import type { createBoard as operation } from '@worktrack/contracts/projects/board-operations';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import { holdProject } from '../projects/projects.repository.ts';
import { insertBoard, toBoard } from './boards.repository.ts';

export async function createBoard(
  { id: projectId, name, columns }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  await holdProject(context, projectId);
  const columnNames = columns?.map((column) => column.name) ?? STANDARD_COLUMNS;
  return toBoard(await insertBoard(context, { projectId, name, columnNames }));
}
