import type { Source } from '@worktrack/contracts/feedback/records';
import type { deleteSource, updateSource } from '@worktrack/contracts/feedback/sources';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { ServiceError } from '../../api/service-error.ts';
import { number } from '../../language/format.ts';
import { useBusy } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { tell, tellFailure } from '../../parts/popup/toasts.tsx';
import { useSources } from '../../parts/sources.ts';
import { When } from '../../parts/when.tsx';
import { identity, leads, may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { InProjects } from '../projects.tsx';
import { SettingsList, SettingsSection } from '../section.tsx';
import { words } from './messages.ts';
import { OutcomesDialog } from './outcomes.tsx';
import { Quota } from './quota.tsx';
import { SourceForm } from './source-form.tsx';
import { TagDialog } from './tag-dialog.tsx';

export function Sources() {
  const [isMaking, setMaking] = useState(false);
  const sources = useSources();
  return (
    <SettingsSection
      title={common.sources}
      help={words.help}
      action={may('feedback:write') && <Button look="main" text={words.newSource} onClick={() => setMaking(true)} />}
    >
      <Loaded query={sources}>
        {(all) => (
          <SettingsList of={all} none={words.none}>
            {(source) => <SourceRow key={source.id} source={source} />}
          </SettingsList>
        )}
      </Loaded>
      {leads.value && may('feedback:write') && identity.value?.projects === null && <Quota />}
      {isMaking && <SourceForm onClose={() => setMaking(false)} />}
    </SettingsSection>
  );
}

type Open = 'tag' | 'outcomes' | 'edit' | 'delete' | 'erase' | undefined;

function SourceRow({ source }: { readonly source: Source }) {
  const { id, name, type, publicKey, allowedDomains, requireCaptcha, enabled, createdAt } = source;
  const { projectId, rateLimit, retentionDays } = source;
  const [open, setOpen] = useState<Open>();
  const { isBusy, run } = useBusy(parts.notChanged);
  const close = () => setOpen(undefined);

  const setEnabled = () =>
    run(async () => {
      await call<typeof updateSource>('PATCH /api/feedback/sources/:id', { id, enabled: !enabled });
      await queries.invalidateQueries({ queryKey: ['sources'] });
    });
  const remove = async (erase: boolean) => {
    try {
      await call<typeof deleteSource>('DELETE /api/feedback/sources/:id', { id, erase });
      void queries.invalidateQueries({ queryKey: ['sources'] });
      tell(common.deleted({ name }));
    } catch (error) {
      // It contains what people wrote: that is deleted only on explicit confirmation.
      if (!erase && error instanceof ServiceError && error.code === 'CONFLICT') setOpen('erase');
      else tellFailure(parts.notChanged, error);
    }
  };

  return (
    <li class={enabled ? 'settings-row' : 'settings-row settings-ended'}>
      <div>
        <div class="row">
          <h2>{name}</h2>
          {type === 'server' && <span class="tag">{words.server}</span>}
          {!enabled && <span class="tag tag-warn">{words.disabledTag}</span>}
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>
            <code>{publicKey}</code>
          </li>
          <li>{allowedDomains.length === 0 ? words.anyDomain : allowedDomains.join(', ')}</li>
          <InProjects ids={projectId ? [projectId] : null} />
          <li>{requireCaptcha ? words.withCaptcha : words.withoutCaptcha}</li>
          {rateLimit && (
            <li>
              {words.limited({
                perIp: number(rateLimit.perIp),
                perSource: number(rateLimit.perSource),
                seconds: number(rateLimit.windowSeconds),
              })}
            </li>
          )}
          {retentionDays !== undefined && <li>{words.erasedAfter({ n: retentionDays })}</li>}
          <li>
            {common.created} <When at={createdAt} />
          </li>
        </ul>
      </div>
      <div class="row">
        <Button text={words.tag} aria-label={words.tagOf({ name })} onClick={() => setOpen('tag')} />
        <Button text={words.outcomes} aria-label={words.outcomesOf({ name })} onClick={() => setOpen('outcomes')} />
        {may('feedback:write') && (
          <>
            <Button text={parts.edit} aria-label={common.editOf({ name })} onClick={() => setOpen('edit')} />
            <Button
              text={enabled ? common.disable : common.enable}
              aria-label={enabled ? words.disableOf({ name }) : words.enableOf({ name })}
              aria-disabled={isBusy}
              onClick={() => void setEnabled()}
            />
            <Button
              look="bad"
              text={parts.delete}
              aria-label={common.deleteOf({ name })}
              onClick={() => setOpen('delete')}
            />
          </>
        )}
      </div>
      {open === 'tag' && <TagDialog source={source} onClose={close} />}
      {open === 'outcomes' && <OutcomesDialog source={source} onClose={close} />}
      {open === 'edit' && <SourceForm source={source} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={common.deleteOf({ name })}
          text={words.deleteText}
          action={parts.delete}
          onConfirm={() => void remove(false)}
          onClose={close}
        />
      )}
      {open === 'erase' && (
        <Confirm
          title={words.eraseTitle({ name })}
          text={words.eraseText}
          action={words.erase}
          onConfirm={() => void remove(true)}
          onClose={close}
        />
      )}
    </li>
  );
}
