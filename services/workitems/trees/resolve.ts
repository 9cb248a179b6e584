import { ItemRef } from '@worktrack/contracts/fields';
import type { Input, Output } from '@worktrack/contracts/operation';
import { plainOf } from '@worktrack/contracts/work-items/plain-fields';
import type { resolveWorkItems as operation, ResolvedItem } from '@worktrack/contracts/work-items/resolve';
import type { Answered, Call } from '@worktrack/rpc/types';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsWith } from '../boards/boards.repository.ts';
import type { Scope } from '../calls/scope.ts';
import { together } from '../calls/together.ts';
import { toSummary } from '../items/shown/present.ts';
import { descriptionsOf, type ResolvableItem, resolvableItems } from '../items/shown/shown.repository.ts';
import { leafTasksBelow } from './leaf-tasks.ts';

type Resolve = typeof operation;

/** Calls with more inputs get their own queries, so that no query or query result is larger than a single call's may be. */
const MAX_IDS_TOGETHER = 8;

/** Small calls from one message share the queries of one call. */
export function resolveWorkItems(calls: readonly Call<Resolve>[]): Promise<Answered<Output<Resolve>>[]> {
  return together(calls, async (scope, asked) => {
    const isSmall = ({ input }: Call<Resolve>) => input.ids.length <= MAX_IDS_TOGETHER;
    const small = asked.filter(isSmall);
    const groups = [small, ...asked.filter((call) => !isSmall(call)).map((call) => [call])];
    const answers = new Map<Call<Resolve>, Output<Resolve>>();
    for (const group of groups) {
      const outputs = await resolveTogether(
        scope,
        group.map(({ input }) => input),
      );
      for (const [index, call] of group.entries()) answers.set(call, outputs[index] as Output<Resolve>);
    }
    return asked.map((call) => ({ output: answers.get(call) as Output<Resolve> }));
  });
}

async function resolveTogether(scope: Scope, inputs: readonly Input<Resolve>[]): Promise<Output<Resolve>[]> {
  const refsOf = (withLeafTasks: boolean) =>
    inputs
      .filter(({ includeLeafTasks }) => includeLeafTasks === withLeafTasks)
      .flatMap(({ ids }) => ids.flatMap((id) => refOf(id) ?? []));
  const found = await resolvableItems(scope, { roots: refsOf(true), others: refsOf(false) });
  const resolutions = inputs.map((input) => resolve(found, input));

  const byId = new Map(found.map((item) => [item._id, item]));
  const shown = [...new Set(resolutions.flatMap(({ resolvedFrom }) => [...resolvedFrom.keys()]))];
  const [descriptions, boards] = await Promise.all([
    descriptionsOf(
      scope,
      shown.filter((id) => byId.get(id)?.description === undefined),
    ),
    boardsWith(
      scope,
      shown.flatMap((id) => byId.get(id) ?? []),
    ),
  ]);
  return inputs.map(({ ids }, index) => {
    const { resolvedFrom, notFound, withoutLeafTasks, truncated } = resolutions[index] as Resolution;
    const { items, cut } = present(
      resolvedFrom,
      (id) => {
        const item = byId.get(id);
        const description = item?.description ?? descriptions.get(id);
        return item && description !== undefined ? { ...item, description } : undefined;
      },
      boards,
    );
    return { inputIds: ids, notFound, items, withoutLeafTasks, truncated: truncated || cut };
  });
}

const refOf = (input: string) => ItemRef.safeParse(input.trim()).data;

interface Resolution {
  /** By id, in the order of the inputs: the inputs that led to the item. */
  readonly resolvedFrom: ReadonlyMap<string, readonly string[]>;
  readonly notFound: string[];
  readonly withoutLeafTasks: string[];
  readonly truncated: boolean;
}

/**
 * Resolves inputs to items; with `includeLeafTasks`, anything but a task is replaced by the leaf tasks below it.
 * @param found at least the items that the inputs name, and the trees below
 */
function resolve(
  found: readonly ResolvableItem[],
  { ids, includeLeafTasks, maxDepth }: Pick<Input<Resolve>, 'ids' | 'includeLeafTasks' | 'maxDepth'>,
): Resolution {
  const inputs = [...new Set(ids)];
  const byRef = new Map<string, ResolvableItem>(
    found.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]),
  );
  const namedBy = (input: string) => byRef.get(refOf(input) ?? '');
  const named = inputs.flatMap((input) => namedBy(input) ?? []);
  const roots = includeLeafTasks ? named.filter(({ type }) => type !== 'task').map(({ _id }) => _id) : [];
  const leaves = leafTasksBelow(found, roots, maxDepth);
  const atAnyDepth = leaves.truncated ? leafTasksBelow(found, roots).byRoot : leaves.byRoot;

  const resolvedFrom = new Map<string, string[]>();
  const notFound: string[] = [];
  const withoutLeafTasks: string[] = [];
  for (const input of inputs) {
    const item = namedBy(input);
    if (!item) {
      notFound.push(input);
      continue;
    }
    const resolved = leaves.byRoot.get(item._id) ?? [item._id];
    if (resolved.length === 0 && atAnyDepth.get(item._id)?.length === 0) withoutLeafTasks.push(input);
    for (const id of resolved) {
      const from = resolvedFrom.get(id);
      if (from) from.push(input);
      else resolvedFrom.set(id, [input]);
    }
  }
  return { resolvedFrom, notFound, withoutLeafTasks, truncated: leaves.truncated };
}

/** As many as fit into a result, without those deleted since they were found. */
function present(
  resolvedFrom: Resolution['resolvedFrom'],
  itemOf: (id: string) => DescribedItem | undefined,
  boards: ReadonlyMap<string, BoardRecord>,
): { readonly items: ResolvedItem[]; readonly cut: boolean } {
  const budget = new AnswerBudget();
  const items = [...resolvedFrom].flatMap(([id, from]) => {
    const item = itemOf(id);
    return item ? toResolved(item, boards.get(item.boardId), from) : [];
  });
  return { items: budget.take(items), cut: budget.isTruncated };
}

type DescribedItem = ResolvableItem & { readonly description: string };

function toResolved(
  item: DescribedItem,
  board: BoardRecord | undefined,
  resolvedFrom: readonly string[],
): ResolvedItem {
  const shown = toSummary(item, board);
  const { id, taskId, title, type, assignee, labels, boardColumnId, columnName, parentId, isAiProcessing } = shown;
  const { description, version } = item;
  return {
    ...{ id, taskId, title, type, resolvedFrom: [...resolvedFrom] },
    ...{ description, ...plainOf(shown), assignee, labels, boardColumnId, columnName, parentId, isAiProcessing },
    ...{ lease: shown.lease, version },
  };
}
