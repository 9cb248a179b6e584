import type { Output } from '@worktrack/contracts/operation';
import { truncated } from '@worktrack/contracts/truncation';
import type { getImplementContext as operation } from '@worktrack/contracts/work-items/agents/context';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { budgetsOverTasks, tightest } from '../budgets/budgets.ts';
import { shownLease } from '../items/lease.ts';
import { isReturned } from '../items/returned.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { boardFor } from './board-map.ts';
import { leafTasksOf } from './leaf-tasks-of.ts';
import { planBatch } from './plan-batch.ts';
import { toBrief } from './present.ts';

/** What there is to do in a batch, in which order, and what can be done in parallel. */
export const getImplementContext: Read<typeof operation> = async (input, context) => {
  const projectId = input.projectId ?? context.caller.sessionProjectId;
  const { tasks, notFound } = await leafTasksOf(context, input.ids, projectId);
  const plan = await planBatch(context, tasks);
  const inBatch = new Map(tasks.map((task) => [task._id, task]));
  const parentOf = ({ parentId }: PlannedItem) =>
    parentId === null ? undefined : (plan.around.get(parentId) ?? inBatch.get(parentId));
  const taskIds = (ids: readonly string[]) => ids.map((id) => plan.nameOf(id));

  const all: Pick<Output<typeof operation>, 'tasks' | 'waves' | 'cycles'> = {
    tasks: tasks.map((task) => {
      const verdict = plan.verdicts.get(task._id);
      if (!verdict) throw new Error(`Task ${task._id} is missing in its own plan.`);
      const parent = parentOf(task);
      return {
        id: task._id,
        taskId: task.taskId,
        title: task.title,
        priority: task.priority,
        columnName: plan.columnOf(task).name,
        state: verdict.state !== 'blocked' && isReturned(task, plan.columnOf(task).role) ? 'rework' : verdict.state,
        lease: shownLease(task.lease),
        dependsOn: taskIds(plan.dependenciesOf(task)),
        blockedBy: taskIds(verdict.blockedBy),
        parent: parent ? toBrief(parent) : null,
        hasPrompt: task.metadata?.prompt?.generatedAt !== undefined,
      };
    }),
    waves: plan.waves.map(taskIds),
    cycles: plan.cycles.map(taskIds),
  };
  const budget = new AnswerBudget();
  // Short, and they say what comes first.
  const [waves, cycles] = [budget.take(all.waves), budget.take(all.cycles)];
  return {
    inputIds: input.ids,
    notFound: [...notFound],
    tasks: budget.take(all.tasks),
    waves,
    cycles,
    board: await boardFor(context, tasks, plan.boards, projectId),
    budget: tightest(await budgetsOverTasks(context, tasks, plan.budgets)),
    ...truncated(budget.isTruncated, all),
  };
};
