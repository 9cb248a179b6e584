import type { ErrorDetail } from '@worktrack/contracts/errors';
import type { Metadata } from '@worktrack/contracts/metadata';
import { aboveFault } from '@worktrack/contracts/work-items/changes/references';
import { MAX_DEPENDENCIES } from '@worktrack/contracts/work-items/work-item';
import { boardsForWrite } from '../boards/boards.repository.ts';
import { roleAt } from '../boards/columns.ts';
import { isMet } from '../boards/progress.ts';
import type { FailingWriteScope } from '../calls/scope.ts';
import { exists } from '../calls/within.repository.ts';
import { ancestorsOf, below } from '../items/found-by.ts';
import { inColumn } from '../items/grounds.ts';
import { findOutlines } from '../items/items.repository.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { cycleOf } from './cycle.ts';
import { dependenciesOf } from './dependencies.ts';

type Scope = FailingWriteScope<'VALIDATION_FAILED'>;

/** How many errors in one list are reported individually. */
const MAX_TOLD = 20;

/** What an item refers to, or would. */
export interface Naming {
  readonly projectId: string;
  /** Absent while the item is being created: nothing refers to it yet. */
  readonly existing?: ItemOutline;
  /** The part of the item's phrases (found-by.ts) that its ancestors determine, once this is written. */
  readonly foundBy: readonly string[];
  readonly metadata: Metadata;
  /** What this write changes; the rest stays as it is, including in older data. */
  readonly isWritten: { readonly dependsOn: boolean; readonly ideaId: boolean };
}

export interface Dependencies {
  /** In stored form (dependencies.ts). */
  readonly dependsOn: string[];
  /** Those of them that are not handed over yet. */
  readonly waitsFor: string[];
}

/**
 * Checks the references in metadata, dependencies and an idea, with one query. Rejects unknown ids, items of another project, the item itself, its ancestors,
 * cycles, and ideas that are not ideas.
 * @returns undefined if the dependencies are not written. Otherwise the write relies on each item they refer to, so that none of them is
 * handed over or deleted unnoticed.
 */
export async function requireNamed(scope: Scope, naming: Naming): Promise<Dependencies | undefined> {
  const { metadata, isWritten, projectId, existing, foundBy } = naming;
  const dependsOn = isWritten.dependsOn ? dependenciesOf(metadata) : [];
  const ideaRef = isWritten.ideaId ? dependenciesOf({ dependsOn: [metadata.ideaId] }) : [];
  const found = await findOutlines(scope, [...dependsOn, ...ideaRef]);
  const byRef = new Map(found.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));

  const faults: ErrorDetail[] = [];
  const fault = (path: string, message: string) => faults.push({ path, message });
  const whatIsWrongWith = (ref: string) => {
    const item = byRef.get(ref);
    if (!item || !exists(scope.caller, item.projectId)) return `${quoted(ref)} does not exist`;
    return item.projectId === projectId ? undefined : `${quoted(ref)} is in another project`;
  };
  if (isWritten.dependsOn) {
    const { dependsOn: written } = metadata;
    if (typeof written !== 'string' && !Array.isArray(written))
      fault('dependsOn', 'must be a list of task IDs or UUIDs');
    if (dependsOn.length > MAX_DEPENDENCIES) fault('dependsOn', `must name at most ${MAX_DEPENDENCIES} work items`);
    for (const ref of dependsOn) {
      const isItself = existing !== undefined && [existing._id, existing.taskId].includes(ref);
      const wrong = isItself
        ? `${quoted(ref)} is the item itself`
        : (whatIsWrongWith(ref) ?? (foundBy.includes(below(ref)) ? aboveFault(ref) : undefined));
      if (wrong) fault('dependsOn', wrong);
    }
  }
  for (const ref of ideaRef) {
    const wrong =
      whatIsWrongWith(ref) ?? (byRef.get(ref)?.type === 'idea' ? undefined : `${quoted(ref)} is not an idea`);
    if (wrong) fault('ideaId', wrong);
  }
  if (faults.length > 0) throw refused(scope, faults);
  if (!isWritten.dependsOn) return undefined;

  const dependencies = [...new Set(dependsOn.map((ref) => byRef.get(ref) as ItemOutline))];
  // What it depended on before, as older data may in a cycle, is not closed now.
  const kept = existing?.dependsOn ?? [];
  const item = {
    ...(existing ?? { _id: '', taskId: 'the new item', projectId, childCount: 0 }),
    ...{ foundBy, dependsOn },
  };
  const cycle = await cycleOf(scope, {
    projectId,
    waiting: [...(existing ? [item] : []), ...ancestorsOf(item)],
    on: dependencies.filter(({ _id, taskId }) => !kept.includes(_id) && !kept.includes(taskId)),
    dependent: item,
    unsaved: [item],
  });
  if (cycle) throw refused(scope, [{ path: 'dependsOn', message: cycle.told }]);
  for (const dependency of dependencies) scope.writes.rely(inColumn(dependency));
  return { dependsOn, waitsFor: await unmetAmong(scope, dependsOn, dependencies) };
}

const quoted = (ref: string) => (ref.length > 100 ? `${ref.slice(0, 100)}…` : ref);

function refused({ fail }: Scope, faults: readonly ErrorDetail[]) {
  const details = faults.slice(0, MAX_TOLD);
  const sentences = details.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return fail('VALIDATION_FAILED', `${sentences}.`, { details });
}

async function unmetAmong(
  scope: Scope,
  references: readonly string[],
  dependencies: readonly ItemOutline[],
): Promise<string[]> {
  const boards = await boardsForWrite(scope, dependencies);
  const met = new Set<string>();
  for (const item of dependencies) {
    const board = boards.get(item.boardId);
    if (board && isMet(roleAt(board, item.boardColumnId), board)) met.add(item._id).add(item.taskId);
  }
  return references.filter((reference) => !met.has(reference));
}
