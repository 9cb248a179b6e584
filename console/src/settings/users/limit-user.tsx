import type { User } from '@worktrack/contracts/keys/records';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { words as common } from '../messages.ts';
import { OnlyProjects, useLimit } from '../projects.tsx';
import { words } from './messages.ts';
import { saveUser } from './save.ts';

export function LimitUser({
  user: { id, name, projects },
  onClose,
}: {
  readonly user: User;
  readonly onClose: () => void;
}) {
  const limit = useLimit(projects);
  const save = async () => {
    const { changed } = limit;
    if (!changed) return;
    await saveUser(id, changed);
    onClose();
    tell(common.saved);
  };
  return (
    <Dialog title={words.limitOf({ name })} onClose={onClose}>
      <DialogForm action={parts.save} isReady={limit.changed !== undefined} onSend={save} onClose={onClose}>
        <OnlyProjects limit={limit} />
      </DialogForm>
    </Dialog>
  );
}
