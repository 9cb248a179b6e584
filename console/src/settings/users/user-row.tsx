import type { ListedUser } from '@worktrack/contracts/keys/records';
import type { eraseUser } from '@worktrack/contracts/keys/users';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { words as invitations } from '../../invitation/messages.ts';
import { withdrawInvitation } from '../../invitation/withdraw.ts';
import { dateAndTime } from '../../language/format.ts';
import { useBusy } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { downIcon } from '../../parts/icons.ts';
import { words as parts } from '../../parts/messages.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { Menu } from '../../parts/popup/menu.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { When } from '../../parts/when.tsx';
import { identity, may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { InProjects } from '../projects.tsx';
import { LimitUser } from './limit-user.tsx';
import { words } from './messages.ts';
import { RenameUser } from './rename-user.tsx';
import { grantable, isLimitable, nameOfRole, useRoles } from './roles.ts';
import { saveUser } from './save.ts';

/** What is left of an address. */
const ERASED = '@erased.invalid';

interface UserRowProps {
  readonly user: ListedUser;
  readonly onLink: () => void;
  readonly onInvite: () => void;
}

export function UserRow({ user, onLink, onInvite }: UserRowProps) {
  const { id, name, email, role, projects, disabled, createdAt, invitation } = user;
  const [asked, setAsked] = useState<'rename' | 'limit' | 'disable' | 'erase' | { readonly role: string }>();
  const { isBusy, run } = useBusy(parts.notChanged);
  const all = useRoles();
  const roles = grantable(all);
  const called = nameOfRole(all, role);
  const isOwn = id === identity.value?.user.id;
  const isErased = email.endsWith(ERASED);
  const mayChange = may('users:write') && !isErased && roles.some(({ id }) => id === role);
  const mayErase = identity.value?.user.role === 'owner' && may('audit:read');
  const isWaiting = invitation !== null && invitation.state !== 'used';

  const change = (changes: { readonly role?: string; readonly disabled?: boolean }, done: string) =>
    run(async () => {
      await saveUser(id, changes);
      tell(done);
    });
  const erase = () =>
    run(async () => {
      await call<typeof eraseUser>('POST /api/users/:id/erase', { id });
      void queries.invalidateQueries({ queryKey: ['users'] });
      tell(words.erasedNow({ name }));
    });
  const give = (chosen: string) => change({ role: chosen }, words.changed({ name, role: nameOfRole(all, chosen) }));
  const choose = (chosen: string) => {
    if (chosen === role) return;
    if (isOwn) setAsked({ role: chosen });
    else void give(chosen);
  };

  return (
    <li class={disabled ? 'settings-row settings-ended' : 'settings-row'}>
      <div>
        <div class="row">
          <h2>{name}</h2>
          {isOwn && <span class="tag tag-accent">{words.you}</span>}
          {!mayChange && <span class="tag">{called}</span>}
          {disabled && <span class="tag tag-bad">{words.disabledTag}</span>}
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>{email}</li>
          <InProjects ids={projects} />
          <li>
            {common.created} <When at={createdAt} />
          </li>
          {invitation && !disabled && (
            <li>
              {invitation.state === 'open'
                ? invitations.invitedUntil({ time: dateAndTime(invitation.expiresAt) })
                : invitations[invitation.state]}
            </li>
          )}
        </ul>
      </div>
      {mayChange && (
        <div class="row">
          <Menu
            label={words.roleOf({ name, role: called })}
            class="button"
            items={[
              ...roles.map(({ id: each }) => ({
                label: nameOfRole(all, each),
                checked: each === role,
                run: () => choose(each),
              })),
              ...(isLimitable(role) && may('projects:read')
                ? [{ label: words.limit, run: () => setAsked('limit'), group: '' }]
                : []),
            ]}
          >
            {called} <Icon of={downIcon} />
          </Menu>
          {!disabled && !isOwn && (
            <Button
              text={isWaiting ? invitations.again : invitations.invite}
              aria-label={isWaiting ? invitations.againOf({ name }) : invitations.inviteOf({ name })}
              onClick={onInvite}
            />
          )}
          {isWaiting && !disabled && (
            <Button
              text={invitations.withdraw}
              aria-label={invitations.withdrawOf({ name })}
              aria-disabled={isBusy}
              onClick={() => void run(() => withdrawInvitation(user))}
            />
          )}
          {!disabled && <Button text={words.link} aria-label={invitations.linkOf({ name })} onClick={onLink} />}
          <Button text={common.rename} aria-label={words.renameOf({ name })} onClick={() => setAsked('rename')} />
          {disabled && !isOwn && mayErase && (
            <Button
              look="bad"
              text={words.erase}
              aria-label={words.eraseOf({ name })}
              onClick={() => setAsked('erase')}
            />
          )}
          {!isOwn &&
            (disabled ? (
              <Button
                text={words.enable}
                aria-label={words.enableOf({ name })}
                aria-disabled={isBusy}
                onClick={() => void change({ disabled: false }, words.enabledNow({ name }))}
              />
            ) : (
              <Button
                look="bad"
                text={words.disable}
                aria-label={words.disableOf({ name })}
                aria-disabled={isBusy}
                onClick={() => setAsked('disable')}
              />
            ))}
        </div>
      )}
      {asked === 'rename' && <RenameUser user={user} onClose={() => setAsked(undefined)} />}
      {asked === 'limit' && <LimitUser user={user} onClose={() => setAsked(undefined)} />}
      {asked === 'disable' && (
        <Confirm
          title={words.disableOf({ name })}
          text={words.disableText}
          action={words.disable}
          onConfirm={() => void change({ disabled: true }, words.disabledNow({ name }))}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'erase' && (
        <Confirm
          title={words.eraseOf({ name })}
          text={words.eraseText}
          action={words.erase}
          onConfirm={() => void erase()}
          onClose={() => setAsked(undefined)}
        />
      )}
      {typeof asked === 'object' && (
        <Confirm
          title={words.roleOf({ name, role: nameOfRole(all, asked.role) })}
          text={words.ownRoleText}
          action={words.changeRole}
          onConfirm={() => void give(asked.role)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </li>
  );
}
