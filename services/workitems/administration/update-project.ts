import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { DependencyMet } from '@worktrack/contracts/projects/project';
import type { updateProject as operation } from '@worktrack/contracts/projects/project-operations';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { differencesOf } from '@worktrack/runtime/database/outbox/differences';
import { boardsOfProject, findBoard, saveBoard } from '../boards/boards.repository.ts';
import { requireLabels } from '../boards/labels.ts';
import { holdColumns } from '../boards/tallies.repository.ts';
import { requireVersion } from '../calls/version.ts';
import { type ChangedBoard, followChangedColumns } from '../dependencies/follow-columns.ts';
import { warned } from '../items/warnings.ts';
import type { ProjectRecord, TemplateRecord } from '../projects/projects.model.ts';
import { requireProject, saveProject, tellOfProject, toProject } from '../projects/projects.repository.ts';
import { keyShared } from './project-key.ts';

export const updateProject: WriteAlone<typeof operation> = async ({ id, templates, version, ...given }, context) => {
  const { defaultBoardId, key, gates, dependencyMet } = given;
  const isKnownToWrites = [defaultBoardId, key, gates, dependencyMet].some((change) => change !== undefined);
  if (isKnownToWrites) await holdColumns(context, { projectId: id });
  const before = await requireProject(context, id);
  requireVersion(
    context,
    {
      ...{ name: `Project "${before.name}"`, version: before.revision ?? 0, permission: 'projects:read' },
      current: () => toProject(before),
    },
    version,
  );
  if (key !== undefined && key !== before.key) requireUnlimited(context);
  const changes = { ...given, ...(templates && { templates: withLabels(context, before, templates) }) };
  if (defaultBoardId !== undefined) {
    const board = await findBoard(context, defaultBoardId);
    if (board?.projectId !== id) {
      throw context.fail('VALIDATION_FAILED', 'defaultBoardId must be a board of the project.', {
        details: [{ path: 'defaultBoardId', message: 'must be a board of the project' }],
      });
    }
  }
  if (isKnownToWrites) await raiseVersions(context, id, dependencyMet);
  const after = await saveProject(context, id, changes);
  const { version: _, ...differences } = differencesOf(toProject(before), toProject(after));
  if (Object.keys(differences).length > 0) tellOfProject(context, after, 'project.updated', { changes: differences });
  const isRenamed = key !== undefined && key !== before.key;
  return { ...toProject(after), ...warned(isRenamed ? await keyShared(context, after.key, id) : []) };
};

/** Keys, and the numbers after them, are the organization's: the next one would tell how many items another project with the key has. */
function requireUnlimited({ caller, fail }: WriteContext<FailureOf<typeof operation>>): void {
  if (!caller.projects) return;
  const message = 'your key is limited to projects, so it cannot change this';
  throw fail('PERMISSION_DENIED', `key: ${message}.`, { details: [{ path: 'key', message }] });
}

/** Of each label its id, which a new name does not change. */
function withLabels(
  context: WriteContext<FailureOf<typeof operation>>,
  project: ProjectRecord,
  templates: NonNullable<Input<typeof operation>['templates']>,
): TemplateRecord[] {
  return templates.map(({ labels, ...template }, index) => ({
    ...template,
    ...(labels?.length && { labels: requireLabels(context, project, labels, `templates.${index}.labels`) }),
  }));
}

/** So that no write proceeds with the key, the default board, the gates or what meets a dependency as they were (projectForWrite). */
async function raiseVersions(
  context: WriteContext<FailureOf<typeof operation>>,
  projectId: string,
  dependencyMet: DependencyMet | undefined,
): Promise<void> {
  const changed: ChangedBoard[] = [];
  for (const before of await boardsOfProject(context, projectId)) {
    const columnsVersion = before.columnsVersion + 1;
    const after = await saveBoard(context, before._id, { columnsVersion, ...(dependencyMet && { dependencyMet }) });
    changed.push({ before, after });
  }
  if (dependencyMet) await followChangedColumns(context, changed);
}
