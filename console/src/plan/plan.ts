import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import type { getImplementContext } from '@worktrack/contracts/work-items/agents/context';
import type { getAiUsage } from '@worktrack/contracts/work-items/costs/usage';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { useBeats } from '../live/live.ts';
import { isNews } from '../parts/item/lease.ts';
import type { ImplementContext } from './layout.ts';

/** What happens to an item without changing any plan. */
const UNPLANNED: readonly LoggedEvent['type'][] = [
  'work_item.commented',
  'work_item.ai_session',
  'work_item.attachment_added',
  'work_item.attachment_removed',
];

/** The tasks below an item, and in which order they can be done. */
export function usePlan({ id, projectId }: WorkItem) {
  const key = ['plan', id];
  useBeats((beat) => {
    queries.setQueryData<ImplementContext>(key, (plan) => plan && heard(plan, beat));
  });
  return useQuery({
    key,
    load: (signal) => call<typeof getImplementContext>('POST /api/context/implement', { ids: [id] }, { signal }),
    // Any item in the project: tasks come below it, and wait for others elsewhere. The project itself has a budget.
    follows: ({ type, subject, projectId: ofProject }) =>
      subject.id === projectId ||
      (subject.kind === 'work_item' && ofProject === projectId && !UNPLANNED.includes(type)),
  });
}

/** The plan with what heartbeats report, which is in no event of the log. */
function heard(plan: ImplementContext, { workItemId, lease }: Beat): ImplementContext {
  const at = plan.tasks.findIndex(({ id }) => id === workItemId);
  const task = plan.tasks[at];
  return task && isNews(lease, task.lease) ? { ...plan, tasks: plan.tasks.with(at, { ...task, lease }) } : plan;
}

export interface PlanCosts {
  /** In dollars, as far as prices are known. */
  readonly total: number;
  /** By item id. */
  readonly of: ReadonlyMap<string, number>;
}

/** What the work below an item has cost so far, task by task. */
export function useCosts({ id, projectId }: WorkItem) {
  return useQuery<PlanCosts>({
    key: ['plan-costs', id],
    load: async (signal) => {
      const usage = await call<typeof getAiUsage>(
        'GET /api/ai-usage',
        { workItemId: id, groupBy: 'workItem' },
        { signal },
      );
      const of = new Map(usage.groups?.map(({ key, estimatedCost }) => [key, Number(estimatedCost)]));
      return { total: Number(usage.totals.estimatedCost), of };
    },
    follows: ({ type, projectId: ofProject }) => type === 'work_item.ai_session' && ofProject === projectId,
  });
}
