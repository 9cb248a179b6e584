import type { User } from '@worktrack/contracts/keys/records';
import { useState } from 'preact/hooks';
import { useSubmit } from '../../parts/busy.ts';
import { TextField } from '../../parts/form/field.tsx';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';
import { saveUser } from './save.ts';

export function RenameUser({ user: { id, name }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState(name);
  const { isBusy, error, run } = useSubmit();
  const isReady = chosen.trim() !== '' && chosen !== name;
  const save = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    void run(async () => {
      const user = await saveUser(id, { name: chosen });
      onClose();
      tell(words.renamed({ name: user.name }));
    });
  };
  return (
    <Dialog title={words.renameOf({ name })} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <TextField label={common.name} value={chosen} onChange={setChosen} />
        <FormFailed what={common.notChanged} error={error} />
        <FormActions action={parts.save} isReady={!isBusy && isReady} onClose={onClose} />
      </form>
    </Dialog>
  );
}
