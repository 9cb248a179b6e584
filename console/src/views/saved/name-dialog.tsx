import type { View } from '@worktrack/contracts/work-items/lists/view';
import { useState } from 'preact/hooks';
import { useSubmit } from '../../parts/busy.ts';
import { TextField } from '../../parts/form/field.tsx';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { words as common } from '../../parts/messages.ts';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
import { Tick } from '../../parts/popup/popup.tsx';
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
  const { isBusy, error, run } = useSubmit();
  const wanted = name.trim();
  const save = () =>
    run(async () => {
      if (!wanted) return;
      await (view ? saveView(view, { name: wanted }) : saveNew({ name: wanted, projectId, shared: isShared, filters }));
      onClose();
    });
  return (
    <Dialog title={view ? words.rename : words.saveView} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label={words.viewName} maxLength={100} value={name} onChange={setName} />
        {!view && may('work-items:write') && <Tick label={words.shared} checked={isShared} onChange={setShared} />}
        <FormFailed what={words.viewNotSaved} error={error} />
        <FormActions action={common.save} isReady={wanted !== '' && !isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
