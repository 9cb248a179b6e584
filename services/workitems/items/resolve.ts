import { ItemRef } from '@worktrack/contracts/fields';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { resolveWorkItems as operation, ResolvedItem } from '@worktrack/contracts/work-items/resolve';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { boardsById } from '../boards/boards.repository.ts';
import type { Scope } from '../scope.ts';
import type { ItemRecord } from './items.model.ts';
import { findItems, type ItemOutline, treesOf } from './items.repository.ts';
import { leafTasksBelow } from './leaf-tasks.ts';
import { toSummary } from './present.ts';

/** How much of descriptions an answer may hold. */
const MAX_DESCRIPTIONS_BYTES = 4 * 1024 * 1024;

export async function resolveWorkItems(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<Output<typeof operation>> {
  const { resolvedFrom, notFound, withoutLeafTasks, truncated } = await resolve(context, input);
  const { items, cut } = await present(context, resolvedFrom);
  return { inputIds: input.ids, notFound, items, withoutLeafTasks, truncated: truncated || cut };
}

export interface Resolution {
  /** By id, in the order of the inputs: the inputs that led to the item. */
  readonly resolvedFrom: ReadonlyMap<string, readonly string[]>;
  readonly notFound: string[];
  readonly withoutLeafTasks: string[];
  readonly truncated: boolean;
}

/** Inputs to items; with `includeLeafTasks` what is no task is replaced by the leaf tasks below it. */
async function resolve(
  scope: Scope,
  { ids, includeLeafTasks, maxDepth }: Pick<Input<typeof operation>, 'ids' | 'includeLeafTasks' | 'maxDepth'>,
): Promise<Resolution> {
  const inputs = [...new Set(ids)];
  const refOf = new Map(inputs.map((input) => [input, ItemRef.safeParse(input.trim()).data]));
  const refs = [...refOf.values()].filter((ref) => ref !== undefined);
  const found = includeLeafTasks
    ? await treesOf(scope, refs)
    : await findItems(scope, refs, ['description', 'metadata']);
  const byRef = new Map<string, ItemOutline>(
    found.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]),
  );
  const named = refs.flatMap((ref) => byRef.get(ref) ?? []);
  const roots = includeLeafTasks ? named.filter(({ type }) => type !== 'task').map(({ _id }) => _id) : [];
  const leaves = leafTasksBelow(found, roots, maxDepth);

  const resolvedFrom = new Map<string, string[]>();
  const notFound: string[] = [];
  const withoutLeafTasks: string[] = [];
  for (const input of inputs) {
    const item = byRef.get(refOf.get(input) ?? '');
    if (!item) {
      notFound.push(input);
      continue;
    }
    const resolved = leaves.byRoot.get(item._id) ?? [item._id];
    if (resolved.length === 0) withoutLeafTasks.push(input);
    for (const id of resolved) {
      const from = resolvedFrom.get(id);
      if (from) from.push(input);
      else resolvedFrom.set(id, [input]);
    }
  }
  return { resolvedFrom, notFound, withoutLeafTasks, truncated: leaves.truncated };
}

async function present(
  scope: Scope,
  resolvedFrom: Resolution['resolvedFrom'],
): Promise<{ readonly items: ResolvedItem[]; readonly cut: boolean }> {
  const found = await findItems(scope, [...resolvedFrom.keys()], ['metadata']);
  const byId = new Map(found.map((item) => [item._id, item]));
  const boards = await boardsById(
    scope,
    found.map(({ boardId }) => boardId),
  );
  const items: ResolvedItem[] = [];
  let bytes = 0;
  for (const [id, from] of resolvedFrom) {
    const item = byId.get(id);
    if (!item) continue; // Deleted since it was resolved.
    bytes += Buffer.byteLength(item.description);
    if (bytes > MAX_DESCRIPTIONS_BYTES) return { items, cut: true };
    items.push(toResolved(item, boards.get(item.boardId), from));
  }
  return { items, cut: false };
}

function toResolved(
  item: Omit<ItemRecord, 'metadata'>,
  board: Parameters<typeof toSummary>[1],
  resolvedFrom: readonly string[],
): ResolvedItem {
  const { id, taskId, title, type, priority, assignee, boardColumnId, columnName, parentId } = toSummary(item, board);
  const { description, isAiProcessing, version } = item;
  return {
    ...{ id, taskId, title, type, resolvedFrom: [...resolvedFrom] },
    ...{ description, priority, assignee, boardColumnId, columnName, parentId, isAiProcessing, version },
  };
}
