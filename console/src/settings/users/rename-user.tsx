import type { User } from '@worktrack/contracts/keys/records';
import { useState } from 'preact/hooks';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';
import { saveUser } from './save.ts';

export function RenameUser({ user: { id, name }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState(name);
  const save = async () => {
    const user = await saveUser(id, { name: chosen });
    onClose();
    tell(words.renamed({ name: user.name }));
  };
  return (
    <Dialog title={words.renameOf({ name })} onClose={onClose}>
      <DialogForm action={parts.save} isReady={chosen.trim() !== '' && chosen !== name} onSend={save} onClose={onClose}>
        <TextField label={common.name} value={chosen} onChange={setChosen} />
      </DialogForm>
    </Dialog>
  );
}
