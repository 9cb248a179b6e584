import type { User } from '@worktrack/contracts/keys/records';
import type { listUsers } from '@worktrack/contracts/keys/users';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { usePages } from '../../api/query.ts';
import { InvitationLink, SignInLink } from '../../invitation/link.tsx';
import { words as invitation } from '../../invitation/messages.ts';
import { Button } from '../../parts/button.tsx';
import { may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { SettingsPages, SettingsSection } from '../section.tsx';
import { words } from './messages.ts';
import { NewUser } from './new-user.tsx';
import { UserRow } from './user-row.tsx';

const PAGE = 50;

async function usersOfPage(cursor: string | undefined, signal: AbortSignal) {
  const page = Number(cursor ?? 1);
  const { users: items, pagination } = await call<typeof listUsers>(
    'GET /api/users',
    { page, limit: PAGE },
    { signal },
  );
  return { items, nextCursor: page < pagination.totalPages ? String(page + 1) : null };
}

export function Users() {
  const [isMaking, setMaking] = useState(false);
  const [linked, setLinked] = useState<User>();
  const [invited, setInvited] = useState<User>();
  const pages = usePages({
    key: ['users', 'pages'],
    load: usersOfPage,
    follows: ({ subject }) => subject.kind === 'user',
  });
  return (
    <SettingsSection
      title={common.users}
      help={words.help}
      action={may('users:write') && <Button look="main" text={invitation.invite} onClick={() => setMaking(true)} />}
    >
      <SettingsPages of={pages} none={words.none}>
        {(user) => (
          <UserRow key={user.id} user={user} onLink={() => setLinked(user)} onInvite={() => setInvited(user)} />
        )}
      </SettingsPages>
      {isMaking && <NewUser onClose={() => setMaking(false)} onMade={setInvited} />}
      {linked && <SignInLink user={linked} onClose={() => setLinked(undefined)} />}
      {invited && <InvitationLink user={invited} onClose={() => setInvited(undefined)} />}
    </SettingsSection>
  );
}
