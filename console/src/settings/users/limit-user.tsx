import type { User } from '@worktrack/contracts/keys/records';
import { useSubmit } from '../../parts/busy.ts';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
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
  const { isBusy, error, run } = useSubmit();
  const save = (event: Event) => {
    event.preventDefault();
    const { changed } = limit;
    if (!changed) return;
    void run(async () => {
      await saveUser(id, changed);
      onClose();
      tell(common.saved);
    });
  };
  return (
    <Dialog title={words.limitOf({ name })} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <OnlyProjects limit={limit} />
        <FormFailed what={common.notChanged} error={error} />
        <FormActions action={parts.save} isReady={!isBusy && limit.changed !== undefined} onClose={onClose} />
      </form>
    </Dialog>
  );
}
