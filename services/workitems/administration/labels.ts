import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import { MAX_LABELS } from '@worktrack/contracts/projects/label';
import type {
  createLabel as createOperation,
  deleteLabel as deleteOperation,
  listLabels as listOperation,
  updateLabel as updateOperation,
} from '@worktrack/contracts/projects/label-operations';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { boardsOfProject, saveBoard } from '../boards/boards.repository.ts';
import { isNamed } from '../boards/labels.ts';
import { holdColumns } from '../boards/tallies.repository.ts';
import type { LabelRecord, ProjectRecord } from '../projects/projects.model.ts';
import { requireProject, saveProject, tellOfProject } from '../projects/projects.repository.ts';

type Context = WriteContext<FailureOf<typeof createOperation | typeof updateOperation>>;

export async function listLabels(
  { id }: Input<typeof listOperation>,
  context: ReadContext<FailureOf<typeof listOperation>>,
): Promise<Output<typeof listOperation>> {
  const { labels = [] } = await requireProject(context, id);
  return labels.toSorted((a, b) => a.name.localeCompare(b.name, 'en')).map(toLabel);
}

export async function createLabel(
  { id, name, colour }: Input<typeof createOperation>,
  context: Context,
): Promise<Output<typeof createOperation>> {
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
}

export async function updateLabel(
  { id, labelId, name, colour }: Input<typeof updateOperation>,
  context: Context,
): Promise<Output<typeof updateOperation>> {
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
}

/** Items keep its id, which names nothing any more and is never used again. */
export async function deleteLabel(
  { id, labelId }: Input<typeof deleteOperation>,
  context: WriteContext<FailureOf<typeof deleteOperation>>,
): Promise<Output<typeof deleteOperation>> {
  const project = await projectToChange(context, id);
  const { labels = [] } = project;
  requireLabel(context, labels, labelId);
  await store(
    context,
    project,
    labels.filter((each) => each.id !== labelId),
  );
  return { deleted: true, id: labelId };
}

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
