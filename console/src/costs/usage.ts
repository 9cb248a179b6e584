import type { Output } from '@worktrack/contracts/operation';
import type { getAiUsage, UsageGroup } from '@worktrack/contracts/work-items/costs/usage';
import type { resolveWorkItems } from '@worktrack/contracts/work-items/resolve';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import type { Period } from './days.ts';

type Usage = Output<typeof getAiUsage>;
export type Group = NonNullable<Usage['groups']>[number];

export type GroupName = Extract<UsageGroup, 'day' | 'epic' | 'model' | 'agent' | 'key'>;

export interface Costs extends Pick<Usage, 'totals' | 'budgets'> {
  readonly by: Readonly<Record<GroupName, readonly Group[]>>;
}

export function useCosts(projectId: string, { from, to }: Period) {
  return useQuery<Costs>({
    key: ['costs', projectId, from, to],
    load: async (signal) => {
      const usageBy = (groupBy: GroupName) =>
        call<typeof getAiUsage>('GET /api/ai-usage', { projectId, from, to, groupBy }, { signal });
      const [day, epic, model, agent, key] = await Promise.all([
        usageBy('day'),
        usageBy('epic'),
        usageBy('model'),
        usageBy('agent'),
        usageBy('key'),
      ]);
      const by = {
        day: day.groups ?? [],
        epic: epic.groups ?? [],
        model: model.groups ?? [],
        agent: agent.groups ?? [],
        key: key.groups ?? [],
      };
      return { totals: day.totals, budgets: day.budgets, by };
    },
    // Setting a budget is an update of what it is for.
    follows: ({ type, subject, projectId: ofProject }) =>
      subject.id === projectId ||
      (ofProject === projectId && (type === 'work_item.ai_session' || type === 'work_item.updated')),
    keepsEarlier: true,
  });
}

/** The titles of items by their task IDs. */
export function useTitles(taskIds: readonly string[]): ReadonlyMap<string, string> {
  const resolved = useQuery({
    key: ['titles', taskIds],
    load: (signal) =>
      call<typeof resolveWorkItems>(
        'POST /api/work-items/resolve',
        { ids: [...taskIds], includeLeafTasks: false },
        { signal },
      ),
    follows: ({ subject }) => taskIds.includes(subject.taskId ?? ''),
    keepsEarlier: true,
    enabled: taskIds.length > 0,
  });
  return new Map(resolved.data?.items.map(({ taskId, title }) => [taskId, title]));
}

/** The known part of it, in dollars. */
export const costOf = ({ estimatedCost }: Pick<Group, 'estimatedCost'>) => Number(estimatedCost);
