import type { listTries, TrustRule, updateTrustRule } from '@worktrack/contracts/keys/trust-rules';
import type { Output } from '@worktrack/contracts/operation';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded } from '../../parts/page/states.tsx';
import { Confirm, Dialog } from '../../parts/popup/dialog.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { When } from '../../parts/when.tsx';
import { change } from '../section.tsx';
import { idsIn, withIds } from './claims.ts';
import { words } from './messages.ts';

type Entries = Output<typeof listTries>;

interface TriesProps {
  readonly rule: TrustRule;
  readonly onClose: () => void;
}

/** Why tokens that name the rule were refused, and a way to take the ids of one into it. */
export function Tries({ rule, onClose }: TriesProps) {
  const { id, name } = rule;
  const tries = useQuery({
    key: ['tries', id, rule.claims],
    load: (signal) => call<typeof listTries>('GET /api/trust-rules/:id/tries', { id }, { signal }),
  });
  return (
    <Dialog title={words.triesOf({ name })} onClose={onClose} wide>
      <Loaded query={tries}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty>{words.noTries}</Empty>
          ) : (
            <ul class="plain stack">
              {[...Map.groupBy(entries, (entry) => entry.id)].map(([tryId, ofOne]) => (
                <Try key={tryId} entries={ofOne} rule={rule} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function Try({ entries, rule }: { readonly entries: Entries; readonly rule: TrustRule }) {
  const [isAsking, setAsking] = useState(false);
  const ids = idsIn(rule.claims, entries);
  const take = () =>
    change('trust rules', words.taken, () =>
      call<typeof updateTrustRule>('PATCH /api/trust-rules/:id', { id: rule.id, claims: withIds(rule.claims, ids) }),
    );
  return (
    <li class="stack">
      <p class="quiet">
        <When at={entries[0]?.at ?? ''} />
      </p>
      <table class="table">
        <TableHead names={[words.claim, words.expected, words.got]} />
        <tbody>
          {entries.map(({ claim, expected, got }) => (
            <tr key={claim}>
              <th scope="row">
                <code>{claim}</code>
              </th>
              <td>{expected}</td>
              <td>{got}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ids.length > 0 && (
        <div class="row">
          <Button text={words.take} onClick={() => setAsking(true)} />
        </div>
      )}
      {isAsking && (
        <Confirm
          title={words.take}
          text={`${ids.map(({ claim, got }) => `${claim} = ${got}`).join(', ')}. ${words.takeText}`}
          action={words.take}
          onConfirm={() => void take()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
