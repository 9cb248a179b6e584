import type { User } from '@worktrack/contracts/keys/records';
import type { createUser } from '@worktrack/contracts/keys/users';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { words as invitation } from '../../invitation/messages.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { words as common } from '../messages.ts';
import { OnlyProjects, useLimit } from '../projects.tsx';
import { words } from './messages.ts';
import { grantable, isBuiltIn, isLimitable, nameOfRole, useRoles } from './roles.ts';

interface NewUserProps {
  readonly onClose: () => void;
  /** How the new user gets in. */
  readonly onMade: (user: User) => void;
}

export function NewUser({ onClose, onMade }: NewUserProps) {
  const roles = grantable(useRoles());
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState(roles.some(({ id }) => id === 'member') ? 'member' : 'viewer');
  const limit = useLimit(null);
  const create = async () => {
    const limited = isLimitable(role) ? limit.changed : undefined;
    const user = await call<typeof createUser>('POST /api/users', { name, email, role, ...limited });
    void queries.invalidateQueries({ queryKey: ['users'] });
    onClose();
    onMade(user);
  };
  const isReady = name.trim() !== '' && email.trim() !== '' && roles.length > 0;
  return (
    <Dialog title={invitation.invite} onClose={onClose}>
      <DialogForm action={invitation.invite} isReady={isReady} onSend={create} onClose={onClose}>
        <TextField label={common.name} value={name} onChange={setName} />
        <TextField label={words.email} name="email" type="email" value={email} onChange={setEmail} />
        <SelectField
          label={words.role}
          help={isBuiltIn(role) ? words[`${role}Help`] : undefined}
          value={role}
          options={roles.map(({ id }) => [id, nameOfRole(roles, id)])}
          onChoose={setRole}
        />
        {isLimitable(role) && <OnlyProjects limit={limit} />}
      </DialogForm>
    </Dialog>
  );
}
