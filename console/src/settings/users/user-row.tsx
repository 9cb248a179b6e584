import type { User } from '@worktrack/contracts/keys/records';
import type { updateUser } from '@worktrack/contracts/keys/users';
import type { Role } from '@worktrack/contracts/permissions';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { useBusy } from '../../parts/busy.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Menu } from '../../parts/menu.tsx';
import { tell } from '../../parts/toasts.tsx';
import { When } from '../../parts/when.tsx';
import { identity, may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { words } from './messages.ts';
import { RenameUser } from './rename-user.tsx';
import { grantableRoles } from './roles.ts';

interface UserRowProps {
  readonly user: User;
  readonly onLink: () => void;
}

export function UserRow({ user, onLink }: UserRowProps) {
  const { id, name, email, role, disabled, createdAt } = user;
  const [asked, setAsked] = useState<'rename' | 'disable' | Role>();
  const { isBusy, run } = useBusy(common.notChanged);
  const roles = grantableRoles();
  const isOwn = id === identity.value?.user.id;
  const mayChange = may('users:write') && roles.includes(role);

  const change = (changes: { readonly role?: Role; readonly disabled?: boolean }, done: string) =>
    run(async () => {
      await call<typeof updateUser>('PATCH /api/users/:id', { id, ...changes });
      void queries.invalidateQueries({ queryKey: ['users'] });
      tell(done);
    });
  const give = (chosen: Role) => change({ role: chosen }, words.changed({ name, role: words[chosen] }));
  const choose = (chosen: Role) => {
    if (chosen === role) return;
    if (isOwn) setAsked(chosen);
    else void give(chosen);
  };

  return (
    <li class={disabled ? 'settings-row settings-ended' : 'settings-row'}>
      <div>
        <div class="row">
          <h2>{name}</h2>
          {isOwn && <span class="tag tag-accent">{words.you}</span>}
          {!mayChange && <span class="tag">{words[role]}</span>}
          {disabled && <span class="tag tag-bad">{words.disabledTag}</span>}
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>{email}</li>
          <li>
            {common.created} <When at={createdAt} />
          </li>
        </ul>
      </div>
      {mayChange && (
        <div class="row">
          <Menu
            label={words.roleOf({ name, role: words[role] })}
            class="button"
            items={roles.map((each) => ({ label: words[each], checked: each === role, run: () => choose(each) }))}
          >
            {words[role]} <span aria-hidden="true">▾</span>
          </Menu>
          {!disabled && (
            <button type="button" class="button" aria-label={words.linkOf({ name })} onClick={onLink}>
              {words.link}
            </button>
          )}
          <button type="button" class="button" aria-label={words.renameOf({ name })} onClick={() => setAsked('rename')}>
            {words.rename}
          </button>
          {!isOwn &&
            (disabled ? (
              <button
                type="button"
                class="button"
                aria-label={words.enableOf({ name })}
                aria-disabled={isBusy}
                onClick={() => void change({ disabled: false }, words.enabledNow({ name }))}
              >
                {words.enable}
              </button>
            ) : (
              <button
                type="button"
                class="button button-bad"
                aria-label={words.disableOf({ name })}
                aria-disabled={isBusy}
                onClick={() => setAsked('disable')}
              >
                {words.disable}
              </button>
            ))}
        </div>
      )}
      {asked === 'rename' && <RenameUser user={user} onClose={() => setAsked(undefined)} />}
      {asked === 'disable' && (
        <Confirm
          title={words.disableOf({ name })}
          text={words.disableText}
          action={words.disable}
          onConfirm={() => void change({ disabled: true }, words.disabledNow({ name }))}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked !== undefined && asked !== 'rename' && asked !== 'disable' && (
        <Confirm
          title={words.roleOf({ name, role: words[asked] })}
          text={words.ownRoleText}
          action={words.changeRole}
          onConfirm={() => void give(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </li>
  );
}
