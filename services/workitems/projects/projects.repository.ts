import type { EventTypeOf } from '@worktrack/contracts/events/event';
import { WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import type { Gates, Project } from '@worktrack/contracts/projects/project';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { Start } from '../calls/paging.ts';
import { Remembered, RememberedUnder } from '../calls/remembered.ts';
import type { FailingScope, FailingWriteScope, Scope, WriteScope } from '../calls/scope.ts';
import { exists, projectsWithin } from '../calls/within.repository.ts';
import { ProjectModel, type ProjectRecord } from './projects.model.ts';

export async function insertProject(scope: WriteScope & TransactionScope, project: ProjectRecord): Promise<void> {
  await ProjectModel.insertMany([project], { session: scope.tx, lean: true });
  const { id: _, version: __, createdAt: ___, updatedAt: ____, ...fields } = toProject(project);
  tellOfProject(scope, project, 'project.created', fields);
}

/** @param project as it is after the write */
export function tellOfProject(
  scope: WriteScope,
  { _id: id, revision = 0 }: Pick<ProjectRecord, '_id' | 'revision'>,
  type: EventTypeOf<'project'>,
  data: Readonly<Record<string, unknown>>,
): void {
  emit(scope, { type, subject: { kind: 'project', id }, revision, projectId: id, data });
}

export async function findProject({ caller, tx }: Scope, id: string): Promise<ProjectRecord | null> {
  if (!exists(caller, id)) return null;
  return ProjectModel.findOne({ organizationId: caller.organizationId, _id: id }, null, { session: tx }).lean();
}

export async function requireProject(scope: FailingScope<'NOT_FOUND'>, id: string): Promise<ProjectRecord> {
  const project = await findProject(scope, id);
  if (!project) throw scope.fail('NOT_FOUND', `There is no project ${id}. ${WHERE_PROJECT_IDS_ARE}.`);
  return project;
}

/** Which of these keys projects of the organization have. */
export async function keysTaken({ caller, tx }: Scope, keys: readonly string[], except?: string): Promise<Set<string>> {
  const taken = await ProjectModel.find(
    { ...projectsWithin(caller), key: oneOf(keys) },
    { key: 1 },
    { session: tx },
  ).lean<Pick<ProjectRecord, '_id' | 'key'>[]>();
  return new Set(taken.filter(({ _id }) => _id !== except).map(({ key }) => key));
}

/** For additions to a project: if one is concurrent with a deletion of the project, one of the two finds the other's write. */
export async function holdProject(scope: FailingScope<'NOT_FOUND'> & TransactionScope, id: string): Promise<void> {
  const { organizationId } = scope.caller;
  scope.writes.claim(ProjectModel, id);
  await ProjectModel.updateOne({ organizationId, _id: id }, { $inc: { revision: 1 } }, { session: scope.tx });
  await requireProject(scope, id);
}

export async function removeProject(scope: WriteScope & TransactionScope, project: ProjectRecord): Promise<void> {
  const { _id, name, revision = 0 } = project;
  await ProjectModel.deleteOne({ organizationId: scope.caller.organizationId, _id }, { session: scope.tx });
  tellOfProject(scope, { _id, revision: revision + 1 }, 'project.deleted', { name });
}

const remembered = new RememberedUnder(new Remembered(findProject, ({ _id }) => _id));

/** For whoever relies on the version of one of its boards: a project that the write has taken before it read that is no older. @throws Stale */
export const projectAfterBoard = remembered.readAfter.bind(remembered);

/**
 * A project for a write that relies on its key and default board. Changing either raises the version of all boards of the project
 * (update.ts), so it is enough that the write relies on the board that it writes to.
 */
export async function projectForWrite(scope: FailingWriteScope<'NOT_FOUND'>, id: string): Promise<ProjectRecord> {
  const project = await remembered.get(scope, id);
  if (!project) throw scope.fail('NOT_FOUND', `There is no project ${id}. ${WHERE_PROJECT_IDS_ARE}.`);
  return project;
}

/** Like projectForWrite: a first budget raises the version of all boards too. */
export async function projectHasBudgets(scope: WriteScope, id: string): Promise<boolean> {
  return (await remembered.get(scope, id))?.hasBudgets === true;
}

/** Like projectForWrite: a change of the gates raises the version of all boards too. */
export async function gatesOf(scope: WriteScope, id: string): Promise<Gates> {
  return (await remembered.get(scope, id))?.gates ?? 'warn';
}

/**
 * Everything read after this still holds when the write is stored, as far as only writes change it that hold it too.
 * @returns to be called once the kind is known: `shared` by any number at once, none of which changes what others of them have read
 */
export async function holdDependencies(scope: WriteScope, id: string): Promise<(kind: 'shared' | 'exclusive') => void> {
  const { organizationId } = scope.caller;
  const { dependencyChanges = null, dependencyAdditions = null } = (await findProject(scope, id)) ?? {};
  const unchanged = { organizationId, _id: id, dependencyChanges };
  return (kind) => {
    if (kind === 'shared') {
      scope.writes.rely({ of: ProjectModel, filter: unchanged, counter: 'dependencyAdditions' });
    } else {
      const set = { dependencyChanges: (dependencyChanges ?? 0) + 1 };
      scope.writes.update(ProjectModel, { ...unchanged, dependencyAdditions }, { set });
    }
  };
}

/** The organization's project, if it has exactly one. */
export async function onlyProject({ caller, tx }: Scope): Promise<ProjectRecord | undefined> {
  const some = await ProjectModel.find(projectsWithin(caller), null, { limit: 2, session: tx }).lean();
  return some.length === 1 ? some[0] : undefined;
}

/** Newest first; one more than the page has, if there is one. */
export function pageOfProjects(
  { caller }: Scope,
  { skip, after, limit }: Pick<Start, 'skip' | 'after' | 'limit'>,
): Promise<ProjectRecord[]> {
  const filter = { organizationId: caller.organizationId };
  const { projects } = caller;
  const choose = projects ? [{ $match: { _id: { $in: [...projects] } } }] : [];
  return inOrder(ProjectModel, { filter, order: NEWEST, skip, after, limit: limit + 1, choose, present: [] });
}
const NEWEST = { field: '_id', direction: -1 } as const;

export async function countProjects({ caller }: Scope): Promise<number> {
  return ProjectModel.countDocuments(projectsWithin(caller));
}

/** @param limit 0: all of them */
export async function idsOfProjects({ caller }: Scope, limit = 0): Promise<string[]> {
  const projects = await ProjectModel.find(projectsWithin(caller), { _id: 1 }).limit(limit).lean();
  return projects.map(({ _id }) => _id);
}

export async function saveProject(
  { caller, tx, writes }: WriteScope & TransactionScope,
  id: string,
  changes: Partial<ProjectRecord>,
): Promise<ProjectRecord> {
  writes.claim(ProjectModel, id);
  return ProjectModel.findOneAndUpdate(
    { organizationId: caller.organizationId, _id: id },
    { $set: { ...changes, updatedAt: new Date() }, $inc: { revision: 1 } },
    { session: tx, returnDocument: 'after' },
  )
    .orFail()
    .lean();
}

export function toProject(project: ProjectRecord): Project {
  const names = new Map(project.labels?.map(({ id, name }) => [id, name]));
  return {
    id: project._id,
    name: project.name,
    key: project.key,
    description: project.description,
    techStack: project.techStack,
    repositories: project.repositories,
    defaultBoardId: project.defaultBoardId,
    gates: project.gates ?? 'warn',
    dependencyMet: project.dependencyMet ?? 'review',
    templates: (project.templates ?? []).map(({ labels, ...template }) => ({
      ...template,
      ...(labels && { labels: labels.flatMap((id) => names.get(id) ?? []) }),
    })),
    version: project.revision ?? 0,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}
