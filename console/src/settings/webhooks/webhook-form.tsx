import type { Webhook } from '@worktrack/contracts/events/webhook';
import type { createWebhook, updateWebhook } from '@worktrack/contracts/events/webhooks';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { Check } from '../../parts/form/check.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { may } from '../../session.ts';
import { changedIn, useOpened } from '../changed.ts';
import { words as common } from '../messages.ts';
import { ProjectField, useProjectOf } from '../projects.tsx';
import { type ChosenTypes, chosenOf, KINDS, PERMISSION_OF_KIND, typesOf } from './event-types.ts';
import { words } from './messages.ts';
import { ShownSecret } from './secret.tsx';

interface WebhookFormProps {
  /** The one being changed; if absent, a new one is created, and its secret shown. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
}

export function WebhookForm({ webhook: now, onClose }: WebhookFormProps) {
  const webhook = useOpened(now);
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [chosen, setChosen] = useState<ChosenTypes>(() => chosenOf(webhook?.types ?? ['*']));
  const [projectId, setProjectId] = useProjectOf(webhook);
  const [secret, setSecret] = useState<string | null>();
  const types = typesOf(chosen);

  const save = async () => {
    if (webhook) {
      const changes = changedIn({ url, description, types, projectId: projectId || null }, webhook);
      await call<typeof updateWebhook>('PATCH /api/webhooks/:id', { id: webhook.id, ...changes });
      tell(common.saved);
      onClose();
    } else {
      const fields = { url, description, types, projectId: projectId || undefined };
      const made = await call<typeof createWebhook>('POST /api/webhooks', fields);
      setSecret(made.secret);
    }
    void queries.invalidateQueries({ queryKey: ['webhooks'] });
  };
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  const isReady = url.trim() !== '' && types.length > 0;
  return (
    <Dialog title={webhook ? words.edit : words.newWebhook} onClose={onClose}>
      <DialogForm action={webhook ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label="URL" help={words.urlHelp} name="url" type="url" value={url} onChange={setUrl} />
        <TextField label={words.description} value={description} onChange={setDescription} />
        <TypeChoice chosen={chosen} onChoose={setChosen} />
        <ProjectField value={projectId} onChoose={setProjectId} />
      </DialogForm>
    </Dialog>
  );
}

interface TypeChoiceProps {
  readonly chosen: ChosenTypes;
  readonly onChoose: (chosen: ChosenTypes) => void;
}

function TypeChoice({ chosen, onChoose }: TypeChoiceProps) {
  const { everything, kinds, single } = chosen;
  return (
    <fieldset class="field">
      <legend class="label">{words.events}</legend>
      <div class="row">
        <Check
          label={words.everything}
          checked={everything}
          onChange={(checked) => onChoose({ ...chosen, everything: checked })}
        />
        {!everything &&
          KINDS.filter((kind) => may(PERMISSION_OF_KIND[kind]) || kinds.includes(kind)).map((kind) => (
            <Check
              key={kind}
              label={words[kind]}
              checked={kinds.includes(kind)}
              onChange={(checked) =>
                onChoose({
                  ...chosen,
                  kinds: KINDS.filter((each) => (each === kind ? checked : kinds.includes(each))),
                })
              }
            />
          ))}
      </div>
      {!everything && (
        <TextField
          label={words.single}
          help={words.singleHelp}
          spellcheck={false}
          value={single}
          onChange={(value) => onChoose({ ...chosen, single: value })}
        />
      )}
    </fieldset>
  );
}
