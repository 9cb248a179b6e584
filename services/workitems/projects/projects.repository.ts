import type { Project } from '@worktrack/contracts/projects/project';
import type { FailingScope, Scope, WriteScope } from '../scope.ts';
import { ProjectModel, type ProjectRecord } from './projects.model.ts';

export async function insertProject({ tx }: WriteScope, project: ProjectRecord): Promise<void> {
  await ProjectModel.insertMany([project], { session: tx, lean: true });
}

export async function requireProject(
  { caller, tx, fail }: FailingScope<'NOT_FOUND'>,
  id: string,
): Promise<ProjectRecord> {
  const project = await ProjectModel.findOne({ organizationId: caller.organizationId, _id: id })
    .session(tx ?? null)
    .lean();
  if (!project) throw fail('NOT_FOUND', `There is no project ${id}.`);
  return project;
}

/** The organization's project, if it has exactly one. */
export async function onlyProject({ caller, tx }: Scope): Promise<ProjectRecord | undefined> {
  const some = await ProjectModel.find({ organizationId: caller.organizationId })
    .limit(2)
    .session(tx ?? null)
    .lean();
  return some.length === 1 ? some[0] : undefined;
}

export async function pageOfProjects(
  { caller }: Scope,
  page: number,
  limit: number,
): Promise<{ readonly projects: ProjectRecord[]; readonly total: number }> {
  const { organizationId } = caller;
  const [projects, total] = await Promise.all([
    ProjectModel.find({ organizationId })
      .sort({ _id: -1 })
      .skip((page - 1) * limit)
      .limit(limit)
      .lean(),
    ProjectModel.countDocuments({ organizationId }),
  ]);
  return { projects, total };
}

export async function saveProject(
  { caller, tx }: WriteScope,
  id: string,
  changes: Partial<ProjectRecord>,
): Promise<ProjectRecord> {
  return ProjectModel.findOneAndUpdate(
    { organizationId: caller.organizationId, _id: id },
    { $set: { ...changes, updatedAt: new Date() } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

export function toProject(project: ProjectRecord): Project {
  return {
    id: project._id,
    name: project.name,
    key: project.key,
    description: project.description,
    techStack: project.techStack,
    repositories: project.repositories,
    defaultBoardId: project.defaultBoardId,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}
