import type { User } from '@worktrack/contracts/keys/records';
import type { updateUser } from '@worktrack/contracts/keys/users';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { useBusy } from '../../parts/busy.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { words as parts } from '../../parts/messages.ts';
import { tell, tellFailure } from '../../parts/toasts.tsx';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';

export function RenameUser({ user: { id, name }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState(name);
  const { isBusy, run } = useBusy();
  const isReady = chosen.trim() !== '' && chosen !== name;
  const save = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    void run(async () => {
      try {
        const user = await call<typeof updateUser>('PATCH /api/users/:id', { id, name: chosen });
        void queries.invalidateQueries({ queryKey: ['users'] });
        onClose();
        tell(words.renamed({ name: user.name }));
      } catch (error) {
        tellFailure(common.notChanged, error);
      }
    });
  };
  return (
    <Dialog title={words.renameOf({ name })} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <Field label={common.name}>
          {(control) => (
            <input
              {...control}
              class="input"
              autocomplete="off"
              value={chosen}
              onInput={({ currentTarget }) => setChosen(currentTarget.value)}
            />
          )}
        </Field>
        <div class="row dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {parts.cancel}
          </button>
          <button type="submit" class="button button-main" aria-disabled={isBusy || !isReady}>
            {parts.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
