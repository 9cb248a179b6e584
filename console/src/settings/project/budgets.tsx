import type { getAiUsage } from '@worktrack/contracts/work-items/costs/usage';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { Budgets as BudgetList } from '../../costs/budgets.tsx';
import { Loaded } from '../../parts/page/states.tsx';
import type { Project } from '../../parts/project.ts';

/** The same list as on the page of the costs. */
export function Budgets({ project: { id } }: { readonly project: Project }) {
  const usage = useQuery({
    key: ['budgets', id],
    load: (signal) => call<typeof getAiUsage>('GET /api/ai-usage', { projectId: id }, { signal }),
    follows: ({ type, subject, projectId }) =>
      subject.id === id || (projectId === id && (type === 'work_item.ai_session' || type === 'work_item.updated')),
  });
  return <Loaded query={usage}>{({ budgets }) => <BudgetList projectId={id} budgets={budgets} />}</Loaded>;
}
