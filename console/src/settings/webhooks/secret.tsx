import type { rotateWebhookSecret } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useSubmit } from '../../parts/busy.ts';
import { FormFailed } from '../../parts/form/form-failed.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog, FormActions } from '../../parts/popup/dialog.tsx';
import { secretWords } from '../../parts/text/secret-messages.ts';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { words as common } from '../messages.ts';
import { Overlap } from '../overlap.tsx';
import { words } from './messages.ts';

/** A secret, shown this once. @param secret null: its answer was lost */
export function ShownSecret({ secret, onClose }: { readonly secret: string | null; readonly onClose: () => void }) {
  return (
    <Dialog title={words.secret}>
      {secret === null ? (
        <p>{secretWords.lostSecret}</p>
      ) : (
        <>
          <p>
            {common.shownOnce} {words.secretHelp}
          </p>
          <ToCopy text={secret} label={words.copySecret} />
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

export function RotateSecret({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>();
  const [hours, setHours] = useState('24');
  const { isBusy, error, run } = useSubmit();
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  const rotate = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const asked = { id: webhookId, overlapSeconds: Number(hours) * 3_600 };
      setSecret((await call<typeof rotateWebhookSecret>('POST /api/webhooks/:id/rotate', asked)).secret);
    });
  };
  return (
    <Dialog title={words.rotate} onClose={onClose}>
      <form class="stack" onSubmit={rotate}>
        <Overlap label={words.overlap} mostHours={24} hours={hours} onChoose={setHours} />
        <FormFailed what={common.notChanged} error={error} />
        <FormActions action={words.rotate} isReady={!isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
