import type { Source } from '@worktrack/contracts/feedback/records';
import type { createSource, updateSource } from '@worktrack/contracts/feedback/sources';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { Check } from '../../parts/form/check.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { NumberField, TextArea, TextField } from '../../parts/form/field.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { identity } from '../../session.ts';
import { changedIn, useOpened } from '../changed.ts';
import { words as common } from '../messages.ts';
import { ProjectField, useProjectOf } from '../projects.tsx';
import { words } from './messages.ts';
import { RateLimitChoice, rateLimitOf, typed } from './rate-limit.tsx';

interface SourceFormProps {
  /** The one being changed; if absent, a new one is created. */
  readonly source?: Source;
  readonly onClose: () => void;
}

export function SourceForm({ source: now, onClose }: SourceFormProps) {
  const source = useOpened(now);
  const [name, setName] = useState(source?.name ?? '');
  const [domains, setDomains] = useState(source?.allowedDomains.join('\n') ?? '');
  const [requireCaptcha, setRequireCaptcha] = useState(source?.requireCaptcha ?? true);
  const [days, setDays] = useState(String(source?.retentionDays ?? ''));
  const [projectId, setProjectId] = useProjectOf(source);
  const [limit, setLimit] = useState(source?.rateLimit && typed(source.rateLimit));

  const save = async () => {
    const allowedDomains = domains.split(/[\s,]+/).filter(Boolean);
    const retentionDays = days === '' ? undefined : Number(days);
    const rateLimit = limit && rateLimitOf(limit);
    const fields = { name, allowedDomains, requireCaptcha };
    if (source) {
      const all = {
        ...fields,
        projectId: projectId || null,
        rateLimit: rateLimit ?? null,
        retentionDays: retentionDays ?? null,
      };
      const changes = changedIn(all, source);
      await call<typeof updateSource>('PATCH /api/feedback/sources/:id', { id: source.id, ...changes });
    } else {
      const place = { projectId: projectId || undefined };
      await call<typeof createSource>('POST /api/feedback/sources', {
        ...fields,
        ...place,
        rateLimit,
        retentionDays,
      });
    }
    void queries.invalidateQueries({ queryKey: ['sources'] });
    onClose();
    tell(common.saved);
  };
  const isReady = name.trim() !== '';
  return (
    <Dialog title={source ? common.editOf({ name: source.name }) : words.newSource} onClose={onClose}>
      <DialogForm action={source ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={common.name} help={words.nameHelp} value={name} onChange={setName} />
        <TextArea
          label={words.domains}
          help={words.domainsHelp}
          spellcheck={false}
          value={domains}
          onChange={setDomains}
        />
        <Check label={words.captcha} checked={requireCaptcha} onChange={setRequireCaptcha} />
        <NumberField
          label={words.retention}
          help={words.retentionHelp}
          min={1}
          max={3650}
          value={days}
          onChange={setDays}
        />
        {(!source || !identity.value?.projects) && <ProjectField value={projectId} onChoose={setProjectId} />}
        <RateLimitChoice limit={limit} onChoose={setLimit} />
      </DialogForm>
    </Dialog>
  );
}
