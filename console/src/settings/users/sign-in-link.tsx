import type { User } from '@worktrack/contracts/keys/records';
import type { createLoginCode } from '@worktrack/contracts/keys/sessions';
import type { Output } from '@worktrack/contracts/operation';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { time } from '../../language/format.ts';
import { Failed, Loading } from '../../parts/page/states.tsx';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';

/** Creates a link that signs a user in once. It is in this dialog and nowhere else. */
export function SignInLink({ user: { id, name }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [made, setMade] = useState<Output<typeof createLoginCode>>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    call<typeof createLoginCode>('POST /api/login-codes', { userId: id }).then(setMade, setError);
  }, [id]);
  return (
    <Dialog title={words.linkOf({ name })} onClose={onClose}>
      {error ? <Failed error={error} /> : null}
      {!made && !error && <Loading />}
      {made?.code === null && <p>{words.linkFailed}</p>}
      {made?.code && (
        <>
          <p>{words.linkText({ name, time: time(made.expiresAt) })}</p>
          <ToCopy text={`${location.origin}/console/#code=${made.code}`} label={words.copyLink} />
        </>
      )}
      <div class="row dialog-actions">
        <button type="button" class="button button-main" onClick={onClose}>
          {common.done}
        </button>
      </div>
    </Dialog>
  );
}
