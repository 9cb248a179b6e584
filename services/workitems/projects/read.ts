import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type {
  getProject as getOperation,
  listProjects as listOperation,
} from '@worktrack/contracts/projects/project-operations';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { pageOf, startOf } from '../paging.ts';
import { countProjects, pageOfProjects, requireProject, toProject } from './projects.repository.ts';

export async function listProjects(
  input: Input<typeof listOperation>,
  context: ReadContext<FailureOf<typeof listOperation>>,
): Promise<Output<typeof listOperation>> {
  const list = ['projects', context.caller.organizationId];
  const start = startOf(input, list, context);
  const { rows, pagination, nextCursor } = await pageOf(
    await pageOfProjects(context, start),
    start,
    list,
    ({ _id }) => ({ id: _id, value: _id }),
    async () => ({ total: await countProjects(context), isLowerBound: false }),
  );
  return { projects: rows.map(toProject), pagination, nextCursor };
}

export async function getProject(
  { id }: Input<typeof getOperation>,
  context: ReadContext<FailureOf<typeof getOperation>>,
): Promise<Output<typeof getOperation>> {
  return toProject(await requireProject(context, id));
}
