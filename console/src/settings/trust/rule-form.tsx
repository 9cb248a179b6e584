import type { createTrustRule, TrustPreset, TrustRule, updateTrustRule } from '@worktrack/contracts/keys/trust-rules';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { AGENT_PERMISSIONS } from '../../parts/agent-permissions.ts';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextArea, TextField } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { identity } from '../../session.ts';
import { changedIn, useOpened } from '../changed.ts';
import { words as ofKeys } from '../keys/messages.ts';
import { PermissionChoice } from '../keys/permission-choice.tsx';
import { words as common } from '../messages.ts';
import { OnlyProjects, useLimit } from '../projects.tsx';
import { claimsIn, TEMPLATES, textOf } from './claims.ts';
import { words } from './messages.ts';

const TTL_MINUTES = [5, 15, 30, 60] as const;

interface RuleFormProps {
  /** The one being changed; if absent, a new one is made. */
  readonly rule?: TrustRule;
  readonly onClose: () => void;
}

export function RuleForm({ rule: now, onClose }: RuleFormProps) {
  const rule = useOpened(now);
  const own = identity.value?.permissions ?? [];
  const offered = PERMISSIONS.filter((permission) => own.includes(permission));
  const [name, setName] = useState(rule?.name ?? '');
  const [preset, setPreset] = useState<TrustPreset>(rule?.preset ?? 'github');
  const [issuer, setIssuer] = useState(rule?.issuer ?? '');
  const [claims, setClaims] = useState(() => textOf(rule?.claims ?? TEMPLATES.github));
  const [keySet, setKeySet] = useState(() => (rule?.jwks ? JSON.stringify(rule.jwks) : ''));
  const [chosen, setChosen] = useState(
    () => rule?.permissions ?? offered.filter((each) => AGENT_PERMISSIONS.includes(each)),
  );
  const [ttlMinutes, setTtlMinutes] = useState(`${(rule?.ttlSeconds ?? 900) / 60}`);
  const limit = useLimit(rule?.projects ?? null);
  const [reuse, setReuse] = useState(`${rule?.reuse ?? 1}`);

  const choosePreset = (next: TrustPreset) => {
    // What somebody has written stays.
    if (claims === textOf(TEMPLATES[preset])) setClaims(textOf(TEMPLATES[next]));
    setPreset(next);
  };
  const save = async () => {
    const fields = {
      ...{ name: name.trim(), preset, claims: claimsIn(claims), permissions: [...chosen] },
      ...(issuer.trim() !== '' && { issuer: issuer.trim() }),
      ...limit.changed,
      ...{ jwks: keySetIn(keySet), ttlSeconds: Number(ttlMinutes) * 60, reuse: Number(reuse) },
    };
    if (rule)
      await call<typeof updateTrustRule>('PATCH /api/trust-rules/:id', { id: rule.id, ...changedIn(fields, rule) });
    else await call<typeof createTrustRule>('POST /api/trust-rules', fields);
    void queries.invalidateQueries({ queryKey: ['trust rules'] });
    tell(common.saved);
    onClose();
  };
  const minutes = [...new Set([...TTL_MINUTES, Number(ttlMinutes)])].sort((one, other) => one - other);
  const isReady = name.trim() !== '' && claims.trim() !== '' && chosen.length > 0;
  return (
    <Dialog title={rule ? common.editOf({ name: rule.name }) : words.newRule} onClose={onClose} wide>
      <DialogForm action={rule ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={common.name} value={name} onChange={setName} />
        <SelectField
          label={words.preset}
          value={preset}
          options={[
            ['github', 'GitHub Actions'],
            ['gitlab', 'GitLab CI'],
            ['buildkite', 'Buildkite'],
            ['kubernetes', 'Kubernetes'],
            ['generic', words.generic],
          ]}
          onChoose={(next) => next !== '' && choosePreset(next)}
        />
        <TextField
          label={words.issuer}
          help={words.issuerHelp}
          spellcheck={false}
          value={issuer}
          onChange={setIssuer}
        />
        <CodeField label={words.claims} help={words.claimsHelp} value={claims} onChange={setClaims} />
        {(preset === 'kubernetes' || preset === 'generic') && (
          <CodeField label={words.keySet} help={words.keySetHelp} value={keySet} onChange={setKeySet} />
        )}
        <PermissionChoice
          offered={offered}
          chosen={chosen}
          presets={[
            { label: ofKeys.forAgent, permissions: AGENT_PERMISSIONS },
            { label: ofKeys.readOnly, permissions: PERMISSIONS.filter((each) => each.endsWith(':read')) },
          ]}
          onChoose={(next) => setChosen([...next])}
        />
        <OnlyProjects limit={limit} />
        <SelectField
          label={words.ttl}
          value={ttlMinutes}
          options={minutes.map((n): [string, string] => [`${n}`, words.minutes({ n })])}
          onChoose={setTtlMinutes}
        />
        <TextField label={words.reuse} help={words.reuseHelp} spellcheck={false} value={reuse} onChange={setReuse} />
      </DialogForm>
    </Dialog>
  );
}

function CodeField(props: ComponentProps<typeof TextArea>) {
  return <TextArea spellcheck={false} autocomplete="off" {...props} />;
}

function keySetIn(text: string) {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as { keys: Record<string, unknown>[] };
  } catch {
    throw new Error(words.noJson);
  }
}
