import type { inviteUser } from '@worktrack/contracts/gateway/invite';
import type { User } from '@worktrack/contracts/keys/records';
import type { createLoginCode } from '@worktrack/contracts/keys/sessions';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { dateAndTime } from '../language/format.ts';
import { language } from '../language/language.ts';
import { Failed, Loading } from '../parts/page/states.tsx';
import { Dialog, DoneAction } from '../parts/popup/dialog.tsx';
import { ToCopy } from '../parts/text/to-copy.tsx';
import { words } from './messages.ts';

interface LinkProps {
  readonly user: Pick<User, 'id' | 'name' | 'email'>;
  readonly onClose: () => void;
}

interface Made {
  readonly code: string | null;
  readonly expiresAt: string;
  readonly mail?: 'sent' | 'failed' | 'off' | null;
}

/** For somebody who is there, and opens it at once. */
export function SignInLink(props: LinkProps) {
  const { id: userId, name } = props.user;
  return (
    <Link
      {...props}
      title={words.linkOf({ name })}
      make={() => call<typeof createLoginCode>('POST /api/login-codes', { userId })}
    />
  );
}

/** Goes by mail, too, if that is set up, and waits for days. */
export function InvitationLink(props: LinkProps) {
  const { id: userId, name } = props.user;
  const invite = () =>
    call<typeof inviteUser>('POST /api/users/:userId/invitation', { userId, language: language.peek() });
  return <Link {...props} title={words.inviteOf({ name })} make={invite} />;
}

/** Makes a link that signs a user in once. It is in this dialog and nowhere else here. */
function Link({ title, make, user, onClose }: LinkProps & { readonly title: string; make(): Promise<Made> }) {
  const { id, name, email } = user;
  const [made, setMade] = useState<Made>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    make().then(setMade, setError);
  }, [id]);
  return (
    <Dialog title={title} onClose={onClose}>
      {error ? <Failed error={error} /> : null}
      {!made && !error && <Loading />}
      {made?.code === null && <p>{words.linkFailed}</p>}
      {made?.code && (
        <>
          {made.mail && <p>{made.mail === 'sent' ? words.sent({ email }) : words[made.mail]}</p>}
          <p>{words.linkText({ name, time: dateAndTime(made.expiresAt) })}</p>
          <ToCopy text={`${location.origin}/console/#code=${made.code}`} label={words.copyLink} />
        </>
      )}
      <DoneAction onClose={onClose} />
    </Dialog>
  );
}
