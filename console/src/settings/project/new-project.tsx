import type { createProject } from '@worktrack/contracts/projects/project-operations';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { useSubmit } from '../../parts/busy.ts';
import { TextField } from '../../parts/form/field.tsx';
import { FormFailed, faultAt } from '../../parts/form/form-failed.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { go, to } from '../../router.ts';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';

/** Its gates are enforced, as of all projects that people make; its rules can be changed. */
export function NewProject({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const { isBusy, error, run } = useSubmit();
  const isReady = name.trim() !== '' && !isBusy;
  const create = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    void run(async () => {
      const made = await call<typeof createProject>('POST /api/projects', { name, gates: 'enforce' });
      await queries.invalidateQueries({ queryKey: ['projects'] });
      onClose();
      go(to('settings/project', { project: made.id }));
      tell(words.added({ name: made.name }));
    });
  };
  return (
    <Dialog title={words.newProject} onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <TextField label={common.name} value={name} error={faultAt(error, 'name')} onChange={setName} />
        <FormFailed what={parts.notCreated} error={error} fields={['name']} />
        <FormActions action={common.create} isReady={isReady} onClose={onClose} />
      </form>
    </Dialog>
  );
}
