import type { createProject } from '@worktrack/contracts/projects/project-operations';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { go, to } from '../../router.ts';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';

/** Its gates are enforced, as of all projects that people make; its rules can be changed. */
export function NewProject({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const create = async () => {
    const made = await call<typeof createProject>('POST /api/projects', { name, gates: 'enforce' });
    await queries.invalidateQueries({ queryKey: ['projects'] });
    onClose();
    go(to('settings/project', { project: made.id }));
    tell(words.added({ name: made.name }));
  };
  const isReady = name.trim() !== '';
  return (
    <Dialog title={words.newProject} onClose={onClose}>
      <DialogForm action={common.create} failed={parts.notCreated} isReady={isReady} onSend={create} onClose={onClose}>
        <TextField label={common.name} value={name} name="name" onChange={setName} />
      </DialogForm>
    </Dialog>
  );
}
