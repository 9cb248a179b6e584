import type { Grouping } from '@worktrack/contracts/work-items/lists/cards';
import { itemFilters } from '@worktrack/contracts/work-items/lists/list-filters';
import { faultsOf } from '@worktrack/runtime/validation/parse';
import type { FailingScope } from '../../calls/scope.ts';
import { both, type Condition, isHeldSo, not } from '../conditions.ts';
import { whereOf } from '../filter.ts';
import { conditionOf } from '../narrowed.ts';
import type { ListFilter, Where } from '../where.ts';

export type Grouped = ListFilter & {
  readonly groupBy?: Grouping | undefined;
  /** The group's key. */
  readonly group?: string | undefined;
};

/** The filter by values that narrows a list to a group. */
const FILTER_OF = {
  epic: 'epic',
  assignee: 'assignee',
  priority: 'priority',
  label: 'label',
  agentState: 'leaseState',
  type: 'type',
} as const;

/** What a list shows, if only one of its groups is asked for. */
export async function whereOfGroup(
  scope: FailingScope<'VALIDATION_FAILED'>,
  { groupBy, group, ...filter }: Grouped,
  sessionProjectId: string | undefined,
): Promise<Where> {
  if (group === undefined) return whereOf(scope, filter, sessionProjectId);
  const refuse = (message: string) =>
    scope.fail('VALIDATION_FAILED', `group ${message}.`, { details: [{ path: 'group', message }] });
  if (groupBy === undefined) throw refuse('needs groupBy');
  // If other columns are filtered for, groups are none but those.
  if (groupBy === 'column') return whereOf(scope, { ...filter, boardColumnId: [group] }, sessionProjectId, 'group');
  // What is no agent state, for example, would list what nobody holds.
  const [fault] = faultsOf(itemFilters[FILTER_OF[groupBy]], [group]);
  if (fault) throw refuse(fault.message);
  const where = await whereOf(scope, filter, sessionProjectId);
  return { ...where, also: [...where.also, await conditionOfGroup(scope, groupBy, group, where)] };
}

async function conditionOfGroup(
  scope: FailingScope<'VALIDATION_FAILED'>,
  groupBy: keyof typeof FILTER_OF,
  key: string,
  { projectId }: Where,
): Promise<Condition> {
  // What has stalled is in a group of its own.
  if (groupBy === 'agentState' && (key === 'working' || key === 'awaiting_input')) {
    const now = new Date();
    return both(isHeldSo([key], now), not(isHeldSo(['stalled'], now)));
  }
  return conditionOf(scope, FILTER_OF[groupBy], [key], { board: undefined, projectId }, 'group');
}
