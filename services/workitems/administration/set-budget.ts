import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type {
  Budget,
  setBudget as operation,
  setItemBudget as operationOfItem,
  setProjectBudget as operationOfProject,
} from '@worktrack/contracts/work-items/costs/budget';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { audited } from '@worktrack/runtime/database/outbox/audited';
import { boardsOfProject, saveBoard } from '../boards/boards.repository.ts';
import { holdColumns } from '../boards/tallies.repository.ts';
import { isNearlySpent, saveBudget, saveCount, spentOf } from '../budgets/budgets.repository.ts';
import { toBudget } from '../budgets/budgets.ts';
import { periodAt } from '../budgets/period.ts';
import { requireItem } from '../items/items.repository.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import { requireProject, saveProject, tellOfProject } from '../projects/projects.repository.ts';
import { microdollarsOf } from '../sessions/price.ts';
import { tellOn } from '../writes/record-on.ts';

type Context = WriteContext<FailureOf<typeof operation>>;
type Limit = Pick<Input<typeof operation>, 'limitUsd' | 'period'>;
type Answer = Output<typeof operation>;

const WITH_BUDGETS: readonly string[] = ['epic', 'feature', 'story'];

export const setBudget: WriteAlone<typeof operation> = ({ projectId, workItemId, ...limit }, context) => {
  const ofProject = projectId ?? (workItemId === undefined ? context.caller.sessionProjectId : undefined);
  if ((ofProject === undefined) === (workItemId === undefined)) {
    throw context.fail('VALIDATION_FAILED', 'Give either projectId or workItemId.', {
      details: [{ path: 'workItemId', message: 'give either projectId or workItemId' }],
    });
  }
  return workItemId === undefined
    ? ofProjectSet(ofProject as string, limit, context)
    : ofItemSet(workItemId, limit, context);
};

export function setProjectBudget(
  { id, ...limit }: Input<typeof operationOfProject>,
  context: Context,
): Promise<Answer> {
  return ofProjectSet(id, limit, context);
}

export function setItemBudget({ id, ...limit }: Input<typeof operationOfItem>, context: Context): Promise<Answer> {
  return ofItemSet(id, limit, context);
}

async function ofProjectSet(id: string, limit: Limit, context: Context): Promise<Answer> {
  await holdColumns(context, { projectId: id });
  await requireProject(context, id);
  const { budget, project } = await save({ _id: id, projectId: id, taskId: null }, limit, context);
  tellOfProject(context, project, 'project.updated', { budget: toldOf(budget) });
  return { budget };
}

async function ofItemSet(ref: string, limit: Limit, context: Context): Promise<Answer> {
  const { projectId } = await requireItem(context, ref);
  await holdColumns(context, { projectId });
  const item = await requireItem(context, ref);
  const { _id, taskId, type } = item;
  if (!WITH_BUDGETS.includes(type)) {
    const message = `${taskId} is ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}; epics, features and stories have budgets`;
    throw context.fail('VALIDATION_FAILED', `${message}.`, { details: [{ path: 'workItemId', message }] });
  }
  const { budget } = await save({ _id, projectId, taskId }, limit, context);
  tellOn(context, item, 'work_item.updated', { budget: toldOf(budget) });
  return { budget };
}

/** Not what is spent: that changes with each heartbeat. Waiting claims look again, since a larger budget may allow one. */
function toldOf(budget: Budget | null) {
  return budget && { limitUsd: budget.limitUsd, period: budget.period };
}

/** No write proceeds without knowing of it: all of them check their board's version, which is raised here. */
async function save(
  of: { readonly _id: string; readonly projectId: string; readonly taskId: string | null },
  { limitUsd, period }: Limit,
  context: Context,
): Promise<{ readonly budget: Budget | null; readonly project: ProjectRecord }> {
  const { projectId } = of;
  for (const board of await boardsOfProject(context, projectId)) {
    await saveBoard(context, board._id, { columnsVersion: board.columnsVersion + 1 });
  }
  const project = await saveProject(context, projectId, { hasBudgets: true });
  const { before, saved } = await saveBudget(
    context,
    of,
    limitUsd === null ? null : { limitMicrodollars: microdollarsOf(limitUsd), period },
  );
  const { _id: id, taskId } = of;
  audited(context.writes, {
    targets: [taskId === null ? { type: 'project', id, name: project.name } : { type: 'work_item', id, name: taskId }],
    changes: [{ field: 'budget', old: toldOf(before && toBudget(before)), new: toldOf(saved && toBudget(saved)) }],
  });
  if (!saved) return { budget: null, project };
  const at = new Date();
  const counted = await spentOf(context, saved, at);
  const countedPeriod = periodAt(saved.period, at);
  const budget = { ...saved, ...counted };
  const warned = isNearlySpent(budget) && { warned: { period: countedPeriod, at } };
  await saveCount(context, saved._id, { ...counted, countedPeriod, ...warned });
  return { budget: toBudget(budget), project };
}
