import type { createKey } from '@worktrack/contracts/keys/keys';
import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { AGENT_PERMISSIONS } from '../../parts/agent-permissions.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { useActiveUsers } from '../../parts/people/people.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { identity, may } from '../../session.ts';
import { words as ofSettings } from '../messages.ts';
import { OnlyProjects, useLimit } from '../projects.tsx';
import { MadeKey } from './made-key.tsx';
import { words } from './messages.ts';
import { PermissionChoice } from './permission-choice.tsx';

const EXPIRY_DAYS = [7, 30, 90, 365] as const;

/** Creates a key with what one may do oneself, and shows it once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<CreatedApiKey>();
  if (made) return <MadeKey made={made} onClose={onClose} />;
  return (
    <Dialog title={words.newKey} onClose={onClose}>
      <KeyForm onMade={setMade} onClose={onClose} />
    </Dialog>
  );
}

interface KeyFormProps {
  readonly onMade: (key: CreatedApiKey) => void;
  readonly onClose: () => void;
}

function KeyForm({ onMade, onClose }: KeyFormProps) {
  const own = identity.value?.permissions ?? [];
  const offered = PERMISSIONS.filter((permission) => own.includes(permission));
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Permission[]>(() =>
    offered.filter((each) => AGENT_PERMISSIONS.includes(each)),
  );
  const [days, setDays] = useState<number>();
  const [userId, setUserId] = useState<string>();
  const limit = useLimit(null);
  const others = useActiveUsers();
  // Required for a key that acts as somebody else.
  const users = may('users:write') ? others : [];

  const create = async () => {
    const key = await call<typeof createKey>('POST /api/api-keys', {
      name: name.trim(),
      permissions: [...chosen],
      projects: limit.changed?.projects ?? undefined,
      expiresInDays: days,
      userId,
    });
    void queries.invalidateQueries({ queryKey: ['keys'] });
    onMade(key);
  };
  const isReady = name.trim() !== '' && chosen.length > 0;
  return (
    <DialogForm action={ofSettings.create} isReady={isReady} onSend={create} onClose={onClose}>
      <TextField label={ofSettings.name} help={words.nameHelp} value={name} onChange={setName} />
      <PermissionChoice
        offered={offered}
        chosen={chosen}
        presets={[
          { label: words.forAgent, permissions: AGENT_PERMISSIONS },
          { label: words.readOnly, permissions: PERMISSIONS.filter((each) => each.endsWith(':read')) },
          { label: words.allMine, permissions: PERMISSIONS },
        ]}
        onChoose={setChosen}
      />
      <OnlyProjects limit={limit} />
      {users.length > 1 && (
        <SelectField
          label={words.user}
          value={userId ?? identity.value?.user.id}
          options={users.map((user) => [user.id, user.name])}
          onChoose={setUserId}
        />
      )}
      <SelectField
        label={words.ends}
        value={days?.toString()}
        options={EXPIRY_DAYS.map((n) => [String(n), words.inDays({ n })])}
        none={words.asMine}
        onChoose={(chosen) => setDays(Number(chosen) || undefined)}
      />
    </DialogForm>
  );
}
