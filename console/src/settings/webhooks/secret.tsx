import type { rotateWebhookSecret } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { words as parts } from '../../parts/messages.ts';
import { Confirm, Dialog } from '../../parts/popup/dialog.tsx';
import { tellFailure } from '../../parts/popup/toasts.tsx';
import { secretWords } from '../../parts/text/secret-messages.ts';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { words as common } from '../messages.ts';
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
  const [isAsking, setAsking] = useState(true);
  const rotate = async () => {
    try {
      const made = await call<typeof rotateWebhookSecret>('POST /api/webhooks/:id/rotate', { id: webhookId });
      setSecret(made.secret);
    } catch (error) {
      tellFailure(common.notChanged, error);
      onClose();
    }
  };
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  if (!isAsking) return null;
  return (
    <Confirm
      title={words.rotate}
      text={words.rotateText}
      action={words.rotate}
      onConfirm={() => {
        setAsking(false);
        void rotate();
      }}
      onClose={() => setAsking(false)}
    />
  );
}
