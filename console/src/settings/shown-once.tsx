import { Dialog, DoneAction } from '../parts/popup/dialog.tsx';
import { secretWords } from '../parts/text/secret-messages.ts';
import { ToCopy } from '../parts/text/to-copy.tsx';
import { words } from './messages.ts';

interface ShownOnceProps {
  readonly title: string;
  /** null: its answer was lost. */
  readonly secret: string | null;
  readonly help?: string;
  readonly copy: string;
  readonly onClose: () => void;
}

/** A new secret, shown this once. It is kept nowhere but in this dialog. */
export function ShownOnce({ title, secret, help, copy, onClose }: ShownOnceProps) {
  return (
    // Another dialog than that of the form, so that the focus begins anew.
    <Dialog key="made" title={title}>
      {secret === null ? (
        <p>{secretWords.lostSecret}</p>
      ) : (
        <>
          <p>{[words.shownOnce, help].filter(Boolean).join(' ')}</p>
          <ToCopy text={secret} label={copy} />
        </>
      )}
      <DoneAction onClose={onClose} />
    </Dialog>
  );
}
