import type { RoleRecord } from '@worktrack/contracts/keys/records';
import type { deleteRole } from '@worktrack/contracts/keys/roles';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Button } from '../../parts/button.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { may } from '../../session.ts';
import { EditDelete } from '../edit-delete.tsx';
import { MayDo } from '../keys/may-do.tsx';
import { words as common } from '../messages.ts';
import { change, SettingsSection } from '../section.tsx';
import { grantable, nameOfRole, useRoles } from '../users/roles.ts';
import { words } from './messages.ts';
import { RoleForm } from './role-form.tsx';

export function Roles() {
  const [isMaking, setMaking] = useState(false);
  const roles = useRoles();
  const changeable = grantable(roles);
  return (
    <SettingsSection
      title={common.roles}
      help={words.help}
      action={may('users:write') && <Button look="main" text={words.newRole} onClick={() => setMaking(true)} />}
    >
      <ul class="plain settings-list">
        {roles.map((role) => (
          <RoleRow
            key={role.id}
            role={role}
            name={nameOfRole(roles, role.id)}
            mayChange={may('users:write') && !role.builtIn && changeable.includes(role)}
          />
        ))}
      </ul>
      {isMaking && <RoleForm onClose={() => setMaking(false)} />}
    </SettingsSection>
  );
}

interface RoleRowProps {
  readonly role: RoleRecord;
  readonly name: string;
  readonly mayChange: boolean;
}

function RoleRow({ role, name, mayChange }: RoleRowProps) {
  const { id, permissions, builtIn } = role;
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  const remove = () =>
    change('roles', common.deleted({ name }), () => call<typeof deleteRole>('DELETE /api/roles/:id', { id }));
  return (
    <li class="settings-row">
      <div>
        <div class="row">
          <h2>{name}</h2>
          {builtIn && <span class="tag">{words.builtIn}</span>}
        </div>
        <MayDo permissions={permissions} />
      </div>
      {mayChange && <EditDelete name={name} onEdit={() => setOpen('edit')} onDelete={() => setOpen('delete')} />}
      {open === 'edit' && <RoleForm role={role} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={common.deleteOf({ name })}
          text={words.deleteText}
          action={parts.delete}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </li>
  );
}
