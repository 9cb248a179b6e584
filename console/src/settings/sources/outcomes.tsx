import type { Outcome, sourceOutcomes } from '@worktrack/contracts/feedback/outcomes';
import type { Source } from '@worktrack/contracts/feedback/records';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { number, utcDay } from '../../language/format.ts';
import { Empty, Loaded } from '../../parts/page/states.tsx';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { words } from './messages.ts';

const REASONS = {
  duplicate: 'duplicate',
  rate: 'rate',
  quota: 'quota',
  captcha: 'captchaFailed',
  origin: 'origin',
  invalid: 'invalid',
} as const satisfies Record<Exclude<Outcome, 'accepted'>, keyof typeof words>;
type Reason = keyof typeof REASONS;

/** What became of the submissions to a source, by day, so that its owner sees what visitors do not tell: that they were refused. */
export function OutcomesDialog({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) {
  const { id, name } = source;
  const outcomes = useQuery({
    key: ['outcomes', id],
    load: (signal) => call<typeof sourceOutcomes>('GET /api/feedback/sources/:id/outcomes', { id }, { signal }),
  });
  return (
    <Dialog title={words.outcomesOf({ name })} onClose={onClose} wide>
      <p class="quiet">{words.outcomesHelp}</p>
      <Loaded query={outcomes}>
        {({ days }) =>
          days.length === 0 ? (
            <Empty>{words.noOutcomes}</Empty>
          ) : (
            <table class="table">
              <TableHead names={[words.day, words.accepted, words.refused]} numbers={[1]} />
              <tbody>
                {days.map(({ day, accepted, ...refused }) => (
                  <tr key={day}>
                    <th scope="row">{utcDay(day)}</th>
                    <td class="number">{number(accepted)}</td>
                    <td>
                      {(Object.keys(REASONS) as Reason[])
                        .filter((reason) => refused[reason] > 0)
                        .map((reason) => words[REASONS[reason]]({ n: refused[reason] }))
                        .join(', ')}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Dialog>
  );
}
