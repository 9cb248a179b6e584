import { boardsWith } from '../boards/boards.repository.ts';
import { columnIn } from '../boards/columns.ts';
import type { FailingScope } from '../calls/scope.ts';
import { ancestorsOf } from '../context/ancestors.ts';
import { outlinesOf } from '../context/outline.repository.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { requireProject } from '../projects/projects.repository.ts';
import type { PromptMaterial } from './compose.ts';

/** Gathers what a prompt is written from. Nothing from the feedback behind an idea: that is text from the public. */
export async function gatherMaterial(scope: FailingScope<'NOT_FOUND'>, item: ItemRecord): Promise<PromptMaterial> {
  const project = await requireProject(scope, item.projectId);
  const ancestors = await ancestorsOf(scope, item);
  const siblings = item.parentId === null ? [] : await outlinesOf(scope, { childrenOf: [item.parentId] });
  const dependencies = await outlinesOf(scope, { named: dependenciesOf(item.metadata) }, item.projectId);
  const boards = await boardsWith(scope, [item, ...ancestors, ...siblings, ...dependencies]);
  const related = (of: PlannedItem | ItemRecord) => ({
    taskId: of.taskId,
    title: of.title,
    type: of.type,
    columnName: columnIn(boards, of).name,
  });
  return {
    item: { ...related(item), priority: item.priority, description: item.description, metadata: item.metadata },
    project,
    ancestors: ancestors.map((ancestor) => ({ ...related(ancestor), description: ancestor.description })),
    siblings: siblings.filter(({ _id }) => _id !== item._id).map(related),
    dependencies: dependencies.map(related),
    columns: boards.get(item.boardId)?.columns.map(({ name }) => name) ?? [],
  };
}
