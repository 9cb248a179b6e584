import { question } from '../change/ask.ts';
import { words } from '../parts/messages.ts';
import { later } from '../parts/page/later.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { undoLast } from '../parts/popup/undo.ts';
import { may } from '../session.ts';
import { creating, mayCreate, openCreate } from './open.ts';

const Asked = later(async () => (await import('../change/asked.tsx')).Asked, { isDialog: true });
const CreateDialog = later(async () => (await import('./dialog.tsx')).CreateDialog, { isDialog: true });

/** On every screen, `c` opens the dialog in which a work item is created, and `z` undoes what was done last; what is asked before a change is made. */
export function CreateAnywhere() {
  useShortcuts([
    ...(mayCreate() ? [{ keys: 'c', label: words.createItem, run: () => openCreate() }] : []),
    ...(may('work-items:write') ? [{ keys: 'z', label: words.keysUndo, run: undoLast }] : []),
  ]);
  const asking = question.value;
  const place = creating.value;
  return (
    <>
      {place && <CreateDialog place={place} onClose={close} />}
      {asking && <Asked key={asking} of={asking} />}
    </>
  );
}

function close() {
  creating.value = undefined;
}
