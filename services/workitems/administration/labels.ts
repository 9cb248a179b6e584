import type { FailureOf } from '@worktrack/contracts/operation';
import { MAX_LABELS } from '@worktrack/contracts/projects/label';
import type {
  createLabel as createOperation,
  deleteLabel as deleteOperation,
  listLabels as listOperation,
  updateLabel as updateOperation,
} from '@worktrack/contracts/projects/label-operations';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read, WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { boardsOfProject, saveBoard } from '../boards/boards.repository.ts';
import { isNamed } from '../boards/labels.ts';
import { holdColumns } from '../boards/tallies.repository.ts';
import type { LabelRecord, ProjectRecord } from '../projects/projects.model.ts';
import { requireProject, saveProject, tellOfProject } from '../projects/projects.repository.ts';

type Context = WriteContext<FailureOf<typeof createOperation | typeof updateOperation>>;

export const listLabels: Read<typeof listOperation> = async ({ id }, context) => {
  const { labels = [] } = await requireProject(context, id);
  return labels.toSorted((a, b) => a.name.localeCompare(b.name, 'en')).map(toLabel);
};

export const createLabel: WriteAlone<typeof createOperation> = async ({ id, name, colour }, context) => {
  const project = await projectToChange(context, id);
  const { labels = [] } = project;
  requireFree(context, labels, name);
  if (labels.length >= MAX_LABELS) {
    throw context.fail(
      'CONFLICT',
      `The project has ${MAX_LABELS} labels, which is the limit. Delete one of them first.`,
      { reason: 'limit' },
    );
  }
  const label = { id: uuidv7(), name, colour: colour.toLowerCase() };
  await store(context, project, [...labels, label]);
  return toLabel(label);
};

export const updateLabel: WriteAlone<typeof updateOperation> = async ({ id, labelId, name, colour }, context) => {
  const project = await projectToChange(context, id);
  const { labels = [] } = project;
  const before = requireLabel(context, labels, labelId);
  const others = labels.filter((each) => each.id !== labelId);
  if (name !== undefined) requireFree(context, others, name);
  const after = { ...before, ...(name && { name }), ...(colour && { colour: colour.toLowerCase() }) };
  await store(
    context,
    project,
    labels.map((each) => (each.id === labelId ? after : each)),
  );
  return toLabel(after);
};

/** Items keep its id, which names nothing any more and is never used again. */
export const deleteLabel: WriteAlone<typeof deleteOperation> = async ({ id, labelId }, context) => {
  const project = await projectToChange(context, id);
  const { labels = [] } = project;
  requireLabel(context, labels, labelId);
  await store(
    context,
    project,
    labels.filter((each) => each.id !== labelId),
  );
  return { deleted: true, id: labelId };
};

function requireLabel(
  { fail }: WriteContext<FailureOf<typeof deleteOperation>>,
  labels: readonly LabelRecord[],
  id: string,
): LabelRecord {
  const label = labels.find((each) => each.id === id);
  if (!label) throw fail('NOT_FOUND', `The project has no label ${id}. GET /api/projects/:id/labels lists them.`);
  return label;
}

function requireFree({ fail }: Context, others: readonly LabelRecord[], name: string): void {
  const taken = others.find((each) => isNamed(each, name));
  if (taken) throw fail('CONFLICT', `The project already has a label "${taken.name}".`, { reason: 'taken' });
}

/** Whoever labels something meanwhile waits, and then knows of the change. */
async function projectToChange(
  context: WriteContext<FailureOf<typeof deleteOperation>>,
  id: string,
): Promise<ProjectRecord> {
  await holdColumns(context, { projectId: id });
  return requireProject(context, id);
}

/** The boards' version is raised, so that no write proceeds with the labels as they were. */
async function store(
  context: WriteContext<FailureOf<typeof deleteOperation>>,
  project: ProjectRecord,
  labels: LabelRecord[],
): Promise<void> {
  for (const board of await boardsOfProject(context, project._id)) {
    await saveBoard(context, board._id, { columnsVersion: board.columnsVersion + 1, labels });
  }
  const after = await saveProject(context, project._id, { labels });
  const changes = { labels: { from: (project.labels ?? []).map(toLabel), to: labels.map(toLabel) } };
  tellOfProject(context, after, 'project.updated', { changes });
}

const toLabel = ({ id, name, colour }: LabelRecord) => ({ id, name, colour });
