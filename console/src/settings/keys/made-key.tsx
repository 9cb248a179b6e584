import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { secretWords } from '../../parts/text/secret-messages.ts';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { words as ofSettings } from '../messages.ts';
import { words } from './messages.ts';

/** A new key, shown this once. It is kept nowhere but in this dialog. */
export function MadeKey({ made, onClose }: { readonly made: CreatedApiKey; readonly onClose: () => void }) {
  return (
    // Another dialog than that of the form, so that the focus begins anew.
    <Dialog key="made" title={words.made({ name: made.name })}>
      {made.key === null ? (
        <p>{secretWords.lostSecret}</p>
      ) : (
        <>
          <p>{ofSettings.shownOnce}</p>
          <ToCopy text={made.key} label={words.copyKey} />
        </>
      )}
      <div class="row dialog-actions">
        <button type="button" class="button button-main" onClick={onClose}>
          {parts.done}
        </button>
      </div>
    </Dialog>
  );
}
