import { truncated } from '@worktrack/contracts/truncation';
import type { getValidateContext as operation } from '@worktrack/contracts/work-items/agents/context';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { columnIn } from '../boards/columns.ts';
import type { Role } from '../boards/progress.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { boardFor } from './board-map.ts';
import { leafTasksOf } from './leaf-tasks-of.ts';
import { surroundings } from './outline.repository.ts';
import { toPlaced } from './present.ts';
import { stageOf } from './stage.ts';
import type { Progress } from './waves.ts';

const WHY_SKIPPED: Readonly<Record<Progress, string>> = {
  pending: 'Nobody has started it.',
  in_progress: 'It is still being worked on.',
  in_review: 'It is past testing.',
  done: 'It is done.',
};

/** Which items of a batch can be reviewed, and which tested. */
export const getValidateContext: Read<typeof operation> = async (input, context) => {
  const projectId = input.projectId ?? context.caller.sessionProjectId;
  const { tasks, notFound } = await leafTasksOf(context, input.ids, projectId);
  const parentIds = [...new Set(tasks.flatMap(({ parentId }) => parentId ?? []))];
  const projectIds = tasks.map((task) => task.projectId);
  const alsoDescriptions = true;
  const around = await surroundings(context, { named: parentIds }, projectIds, { alsoDescriptions });
  const { items: parents, boards } = around;
  const roleOf = (item: PlannedItem) => columnIn(boards, item).role;
  const within = (role: Role) =>
    tasks
      .filter((task) => roleOf(task) === role)
      .map((task) => ({ ...toPlaced(task, boards), parentId: task.parentId }));

  const all = {
    reviewable: within('review'),
    testable: within('testing'),
    skipped: tasks
      .filter((task) => roleOf(task) !== 'review' && roleOf(task) !== 'testing')
      .map((task) => ({
        ...{ id: task._id, taskId: task.taskId, columnName: columnIn(boards, task).name },
        reason: WHY_SKIPPED[stageOf(roleOf(task))],
      })),
    parents: parents.map((parent) => ({ ...toPlaced(parent, boards), description: parent.description })),
  };
  const budget = new AnswerBudget();
  return {
    inputIds: input.ids,
    notFound: [...notFound],
    reviewable: budget.take(all.reviewable),
    testable: budget.take(all.testable),
    skipped: budget.take(all.skipped),
    parents: budget.take(all.parents),
    board: await boardFor(context, tasks, boards, projectId),
    ...truncated(budget.isTruncated, all),
  };
};
