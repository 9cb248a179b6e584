import type { showOrganization, updateOrganization } from '@worktrack/contracts/gateway/organization';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, useQuery } from '../../api/query.ts';
import { useSubmit } from '../../parts/busy.ts';
import { Field } from '../../parts/form/field.tsx';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';

const KEY = ['organization'];

/** How much feedback the organization accepts within a day, over all its sources. */
export function Quota() {
  const organization = useQuery({
    key: KEY,
    load: (signal) => call<typeof showOrganization>('GET /api/organization', {}, { signal }),
  });
  return (
    <Loaded query={organization}>{({ feedbackPerDay }) => <QuotaForm stored={String(feedbackPerDay ?? '')} />}</Loaded>
  );
}

function QuotaForm({ stored }: { readonly stored: string }) {
  const [typed, setTyped] = useState<string>();
  const perDay = typed ?? stored;
  const { isBusy, error, run } = useSubmit();
  const isReady = !isBusy && perDay !== stored;
  const save = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    void run(async () => {
      await call<typeof updateOrganization>('PATCH /api/organization', { feedbackPerDay: Number(perDay) || null });
      await queries.invalidateQueries({ queryKey: KEY });
      // Unless something else was typed meanwhile.
      setTyped((now) => (now === typed ? undefined : now));
      tell(common.saved);
    });
  };
  return (
    <form class="stack" onSubmit={save}>
      <Field label={words.perDay} help={words.perDayHelp}>
        {(control) => (
          <div class="row">
            <input
              {...control}
              class="input input-inline"
              type="number"
              min={1}
              value={perDay}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
            <button type="submit" class="button" aria-disabled={!isReady}>
              {parts.save}
            </button>
          </div>
        )}
      </Field>
      <FormFailed what={parts.notChanged} error={error} />
    </form>
  );
}
