import type {
  deleteTrustRule,
  listTrustRules,
  TrustRule,
  updateTrustRule,
} from '@worktrack/contracts/keys/trust-rules';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { useNames } from '../../parts/people/people.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { Menu } from '../../parts/popup/menu.tsx';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { When } from '../../parts/when.tsx';
import { words as ofKeys } from '../keys/messages.ts';
import { LastUsed } from '../last-used.tsx';
import { words as common } from '../messages.ts';
import { InProjects } from '../projects.tsx';
import { change, SettingsList, SettingsSection } from '../section.tsx';
import { textOf } from './claims.ts';
import { words } from './messages.ts';
import { RuleForm } from './rule-form.tsx';
import { Tries } from './tries.tsx';

/** Whose tokens are taken for a CI job's, and what such a job may do; why one was refused. */
export function Trust() {
  const [isMaking, setMaking] = useState(false);
  const rules = useQuery({
    key: ['trust rules'],
    load: (signal) => call<typeof listTrustRules>('GET /api/trust-rules', {}, { signal }),
  });
  const nameOf = useNames();
  return (
    <SettingsSection
      title={common.trust}
      help={words.help}
      action={<Button look="main" text={words.newRule} onClick={() => setMaking(true)} />}
    >
      <Loaded query={rules}>
        {(all) => (
          <SettingsList of={all} none={words.none}>
            {(rule) => <RuleRow key={rule.id} rule={rule} userName={nameOf(rule.userId)} />}
          </SettingsList>
        )}
      </Loaded>
      {isMaking && <RuleForm onClose={() => setMaking(false)} />}
    </SettingsSection>
  );
}

function RuleRow({ rule, userName }: { readonly rule: TrustRule; readonly userName: string }) {
  const { id, name, issuer, audience, claims, permissions, projects, createdAt, lastUsedAt, disabled } = rule;
  const [open, setOpen] = useState<'edit' | 'delete' | 'tries'>();
  const close = () => setOpen(undefined);
  const toggle = () =>
    change('trust rules', common.saved, () =>
      call<typeof updateTrustRule>('PATCH /api/trust-rules/:id', { id, disabled: !disabled }),
    );
  const remove = () =>
    change('trust rules', common.deleted({ name }), () =>
      call<typeof deleteTrustRule>('DELETE /api/trust-rules/:id', { id }),
    );
  return (
    <li class={disabled ? 'settings-row settings-ended' : 'settings-row'}>
      <div>
        <div class="row">
          <h2>{name}</h2>
          {disabled && <span class="tag">{words.off}</span>}
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>{issuer}</li>
          <li>{ofKeys.actsAs({ name: userName })}</li>
          <li>{permissions.join(', ')}</li>
          <InProjects ids={projects} />
          <li>
            {common.created} <When at={createdAt} />
          </li>
          <li>
            <LastUsed at={lastUsedAt} />
          </li>
        </ul>
        <ul class="plain quiet">
          {textOf(claims)
            .split('\n')
            .map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
        </ul>
        <ToCopy text={audience} label={words.copyAudience} />
      </div>
      <div class="row">
        <Button text={words.tries} aria-label={words.triesOf({ name })} onClick={() => setOpen('tries')} />
        <Menu
          label={words.more({ name })}
          items={[
            { label: parts.edit, run: () => setOpen('edit') },
            { label: disabled ? words.turnOn : words.turnOff, run: () => void toggle() },
            { label: parts.delete, run: () => setOpen('delete') },
          ]}
        >
          ⋯
        </Menu>
      </div>
      {open === 'edit' && <RuleForm rule={rule} onClose={close} />}
      {open === 'tries' && <Tries rule={rule} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={`${parts.delete}: ${name}`}
          text={words.deleteText}
          action={parts.delete}
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </li>
  );
}
