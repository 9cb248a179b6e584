import { pagination } from '@worktrack/contracts/fields';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type {
  getProject as getOperation,
  listProjects as listOperation,
} from '@worktrack/contracts/projects/project-operations';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { pageOfProjects, requireProject, toProject } from './projects.repository.ts';

export async function listProjects(
  { page, limit }: Input<typeof listOperation>,
  context: ReadContext,
): Promise<Output<typeof listOperation>> {
  const { projects, total } = await pageOfProjects(context, page, limit);
  return { projects: projects.map(toProject), pagination: pagination(page, limit, total) };
}

export async function getProject(
  { id }: Input<typeof getOperation>,
  context: ReadContext<FailureOf<typeof getOperation>>,
): Promise<Output<typeof getOperation>> {
  return toProject(await requireProject(context, id));
}
