import type {
  getProject as getOperation,
  listProjects as listOperation,
  listProjectNames as namesOperation,
} from '@worktrack/contracts/projects/project-operations';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { pageOf, startOf } from '../calls/paging.ts';
import { countProjects, pageOfProjects, requireProject, toProject } from '../projects/projects.repository.ts';

export const listProjects: Read<typeof listOperation> = async (input, context) => {
  const list = ['projects', context.caller.organizationId];
  const start = startOf(input, list, context);
  const found = await pageOfProjects(context, start);
  const budget = new AnswerBudget();
  // At least one: none is as large as a result may be.
  const shown = Math.max(1, budget.take(found.slice(0, start.limit).map(toProject)).length);
  const { rows, pagination, nextCursor } = await pageOf(
    found,
    // A page cut short by size continues with its cursor.
    budget.isTruncated ? { ...start, limit: shown } : start,
    list,
    ({ _id }) => ({ id: _id, value: _id }),
    async () => ({ total: await countProjects(context), isLowerBound: false }),
  );
  return {
    projects: rows.map(toProject),
    pagination: { ...pagination, limit: start.limit, totalPages: Math.ceil(pagination.total / start.limit) },
    nextCursor,
    ...(budget.isTruncated && { truncated: true as const }),
  };
};

export const listProjectNames: Read<typeof namesOperation> = async ({ limit, cursor }, context) => {
  const list = ['project names', context.caller.organizationId];
  const start = startOf({ page: 1, limit, cursor }, list, context);
  const { rows, nextCursor } = await pageOf(
    await pageOfProjects(context, start),
    start,
    list,
    ({ _id }) => ({ id: _id, value: _id }),
    NOT_COUNTED,
  );
  const projects = rows.map(({ _id, name, key, defaultBoardId }) => ({ id: _id, name, key, defaultBoardId }));
  return { projects, nextCursor };
};
const NOT_COUNTED = async () => ({ total: 0, isLowerBound: true });

export const getProject: Read<typeof getOperation> = async ({ id }, context) => {
  return toProject(await requireProject(context, id));
};
