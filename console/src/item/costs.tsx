import type { getAiUsage } from '@worktrack/contracts/work-items/costs/usage';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { dollars, number, roughly } from '../language/format.ts';
import { Loaded } from '../parts/page/states.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { words } from './messages.ts';
import { Part } from './part.tsx';

/** What the sessions of an item and of everything below it used, by model. */
export function Costs({ item }: { readonly item: WorkItem }) {
  const usage = useQuery({
    key: ['usage', item.id],
    load: (signal) =>
      call<typeof getAiUsage>('GET /api/ai-usage', { workItemId: item.id, groupBy: 'model' }, { signal }),
    follows: ({ type, projectId }) => type === 'work_item.ai_session' && projectId === item.projectId,
  });
  return (
    <Part title={words.sessions}>
      <Loaded query={usage}>
        {({ totals, groups = [], budget }) =>
          totals.sessions === 0 ? (
            <p class="quiet">{words.noSessions}</p>
          ) : (
            <>
              <table class="table">
                <TableHead names={[words.model, words.sessionCount, words.tokens, words.cost]} numbers={[1, 2, 3]} />
                <tbody>
                  {[...groups, { ...totals, key: '', label: item.type === 'task' ? words.total : words.inAll }].map(
                    (row) => (
                      <tr key={row.key}>
                        <th scope="row">{row.label}</th>
                        <td class="number">{number(row.sessions)}</td>
                        <td class="number">{roughly(row.totalTokens)}</td>
                        <td class="number">{dollars(Number(row.estimatedCost))}</td>
                      </tr>
                    ),
                  )}
                </tbody>
              </table>
              {budget && <p>{words.budget({ spent: dollars(budget.spentUsd), limit: dollars(budget.limitUsd) })}</p>}
            </>
          )
        }
      </Loaded>
    </Part>
  );
}
