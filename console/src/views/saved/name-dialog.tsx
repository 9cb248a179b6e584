import type { View } from '@worktrack/contracts/work-items/lists/view';
import { useState } from 'preact/hooks';
import { Tick } from '../../parts/form/check.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { words as common } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { may } from '../../session.ts';
import { saveNew, saveView } from './change-view.ts';
import { words } from './messages.ts';

interface NameDialogProps {
  readonly projectId: string;
  /** The view that gets another name; undefined: a new one. */
  readonly view: View | undefined;
  readonly filters: View['filters'];
  readonly onClose: () => void;
}

/** Names a view. */
export function NameDialog({ projectId, view, filters, onClose }: NameDialogProps) {
  const [name, setName] = useState(view?.name ?? '');
  const [isShared, setShared] = useState(false);
  const wanted = name.trim();
  const save = async () => {
    await (view ? saveView(view, { name: wanted }) : saveNew({ name: wanted, projectId, shared: isShared, filters }));
    onClose();
  };
  const isReady = wanted !== '';
  return (
    <Dialog title={view ? words.rename : words.saveView} onClose={onClose}>
      <DialogForm action={common.save} failed={words.viewNotSaved} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={words.viewName} maxLength={100} value={name} onChange={setName} />
        {!view && may('work-items:write') && <Tick label={words.shared} checked={isShared} onChange={setShared} />}
      </DialogForm>
    </Dialog>
  );
}
