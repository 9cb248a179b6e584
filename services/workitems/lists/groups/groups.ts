import { MAX_COUNTED } from '@worktrack/contracts/fields';
import type { Output } from '@worktrack/contracts/operation';
import { type Grouping, MAX_GROUPS, type listGroups as operation } from '@worktrack/contracts/work-items/lists/cards';
import { NONE } from '@worktrack/contracts/work-items/lists/list-filters';
import { ITEM_TYPES } from '@worktrack/contracts/work-items/work-item';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardsOfProject } from '../../boards/boards.repository.ts';
import type { Scope } from '../../calls/scope.ts';
import { requireProject } from '../../projects/projects.repository.ts';
import { whereOf } from '../filter.ts';
import { matchesOf, queryOf } from '../list.ts';
import { namedById } from '../listed-items.repository.ts';
import { BEST_FIRST } from '../sorted/sort.ts';
import { type Counted, countGrouped, valueIn } from './grouped.repository.ts';

type Groups = Output<typeof operation>['groups'];

export const listGroups: Read<typeof operation> = async ({ id, groupBy, search = '', ...given }, context) => {
  const { _id: projectId } = await requireProject(context, id);
  const where = await whereOf(context, { ...given, projectId }, undefined);
  const text = search.trim();
  const query = text ? queryOf(text) : undefined;
  if (text && !query) return { groups: [], total: 0 };
  const found = query && (await matchesOf(context, where, text, query, WHOLE));
  const counted = await countGrouped(context, groupBy, where, found?.which);
  const named = (found?.named ?? []).map((item) => ({ value: valueIn(groupBy, item), count: 1 }));
  const values = [...counted, ...named];
  const total = values.reduce((sum, { count }) => sum + count, 0);
  const groups = await groupsOf(context, projectId, groupBy, values);
  return {
    groups: groups.slice(0, MAX_GROUPS),
    total: Math.min(total, MAX_COUNTED),
    ...(total > MAX_COUNTED && { totalIsLowerBound: true as const }),
    ...(groups.length > MAX_GROUPS && { truncated: true as const }),
  };
};

/** From its beginning. */
const WHOLE = { page: 1, limit: MAX_COUNTED, skip: 0, after: undefined, isFirst: true };

/** How the keys of groups are named, and which come first. */
interface Names {
  readonly nameOf: (key: string) => string | null;
  /** Of the first group 0. */
  readonly rankOf: (key: string) => number | string;
}

async function groupsOf(
  scope: Scope,
  projectId: string,
  groupBy: Grouping,
  counted: readonly Counted[],
): Promise<Groups> {
  const names = await namesOf(scope, projectId, groupBy, counted);
  const counts = new Map<string, number>();
  for (const { value, count } of counted) {
    const known = [value].flat().filter((key) => key !== null && names.rankOf(key) !== -1);
    for (const key of known.length > 0 ? known : [NONE])
      counts.set(key as string, (counts.get(key as string) ?? 0) + count);
  }
  const isBefore = (a: string, b: string) => {
    if (a === NONE || b === NONE) return Number(a === NONE) - Number(b === NONE);
    const [rank, other] = [names.rankOf(a), names.rankOf(b)];
    return typeof rank === 'string' ? rank.localeCompare(String(other), 'en') : rank - Number(other);
  };
  return [...counts]
    .map(([key, count]) => ({ key, name: key === NONE ? null : names.nameOf(key), count }))
    .sort((a, b) => isBefore(a.key, b.key));
}

/** A rank of -1: nothing of the kind, like a label that was deleted, or something that is no epic. */
async function namesOf(
  scope: Scope,
  projectId: string,
  groupBy: Grouping,
  counted: readonly Counted[],
): Promise<Names> {
  switch (groupBy) {
    case 'column': {
      const columns = (await boardsOfProject(scope, projectId)).flatMap((board) => board.columns);
      return inOrderOf(columns);
    }
    case 'label': {
      const [board] = await boardsOfProject(scope, projectId);
      return inOrderOf((board?.labels ?? []).toSorted((a, b) => a.name.localeCompare(b.name, 'en')));
    }
    case 'epic': {
      const tops = await namedById(scope, new Set(counted.flatMap(({ value }) => value ?? [])));
      const epics = [...tops.values()].filter(({ type }) => type === 'epic');
      return inOrderOf(epics.map(({ _id, taskId, title }) => ({ id: _id, name: `${taskId} ${title}` })).sort(byId));
    }
    case 'assignee':
      return { nameOf: () => null, rankOf: (name) => name };
    case 'priority':
      return plain(BEST_FIRST);
    case 'agentState':
      return plain(['stalled', 'awaiting_input', 'working']);
    case 'type':
      return plain(ITEM_TYPES);
  }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
const plain = (keys: readonly string[]): Names => ({ nameOf: () => null, rankOf: (key) => keys.indexOf(key) });

function inOrderOf(all: readonly { readonly id: string; readonly name: string }[]): Names {
  const ranks = new Map(all.map(({ id, name }, rank) => [id, { name, rank }]));
  return { nameOf: (key) => ranks.get(key)?.name ?? null, rankOf: (key) => ranks.get(key)?.rank ?? -1 };
}
