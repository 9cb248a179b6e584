import type { RoleRecord } from '@worktrack/contracts/keys/records';
import type { createRole, updateRole } from '@worktrack/contracts/keys/roles';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { may } from '../../session.ts';
import { changedIn, useOpened } from '../changed.ts';
import { PermissionChoice } from '../keys/permission-choice.tsx';
import { words as common } from '../messages.ts';
import { words as ofUsers } from '../users/messages.ts';
import { words } from './messages.ts';

interface RoleFormProps {
  /** The one being changed; if absent, a new one is made. */
  readonly role?: RoleRecord;
  readonly onClose: () => void;
}

export function RoleForm({ role: now, onClose }: RoleFormProps) {
  const role = useOpened(now);
  const [name, setName] = useState(role?.name ?? '');
  const [chosen, setChosen] = useState<readonly Permission[]>(role?.permissions ?? ROLE_PERMISSIONS.viewer);
  const save = async () => {
    const fields = { name: name.trim(), permissions: [...chosen] };
    if (role) await call<typeof updateRole>('PATCH /api/roles/:id', { id: role.id, ...changedIn(fields, role) });
    else await call<typeof createRole>('POST /api/roles', fields);
    void queries.invalidateQueries({ queryKey: ['roles'] });
    onClose();
    tell(common.saved);
  };
  const isReady = name.trim() !== '' && chosen.length > 0;
  return (
    <Dialog title={role ? common.editOf({ name: role.name }) : words.newRole} onClose={onClose}>
      <DialogForm action={role ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={common.name} value={name} onChange={setName} />
        <PermissionChoice
          offered={PERMISSIONS.filter(may)}
          chosen={chosen}
          presets={[
            { label: ofUsers.viewer, permissions: ROLE_PERMISSIONS.viewer },
            { label: ofUsers.member, permissions: ROLE_PERMISSIONS.member },
          ]}
          onChoose={setChosen}
        />
      </DialogForm>
    </Dialog>
  );
}
