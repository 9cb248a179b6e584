import type { Label } from '@worktrack/contracts/projects/label';
import type { createLabel, deleteLabel, updateLabel } from '@worktrack/contracts/projects/label-operations';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { LabelDot } from '../../parts/item/label.tsx';
import { LABEL_COLOURS, useLabels } from '../../parts/item/labels.ts';
import { words as parts } from '../../parts/messages.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { Confirm, Dialog } from '../../parts/popup/dialog.tsx';
import { tell, tellFailure } from '../../parts/popup/toasts.tsx';
import { did } from '../../parts/popup/undo.ts';
import type { Project } from '../../parts/project.ts';
import { may } from '../../session.ts';
import { changedIn } from '../changed.ts';
import { EditDelete } from '../edit-delete.tsx';
import { words as common } from '../messages.ts';
import { SettingsList } from '../section.tsx';
import { words } from './messages.ts';

const COLOUR_NAMES = ['blue', 'orange', 'green', 'purple', 'red', 'teal', 'brown', 'pink'] as const;

/** A colour that somebody has chosen over the API has no name. */
function nameOf(colour: string): string {
  const name = COLOUR_NAMES[LABEL_COLOURS.indexOf(colour)];
  return name ? words[name] : colour;
}

const reread = (projectId: string) => queries.invalidateQueries({ queryKey: ['labels', projectId] });

async function deleteIt(id: string, labelId: string): Promise<void> {
  await call<typeof deleteLabel>('DELETE /api/projects/:id/labels/:labelId', { id, labelId });
  await reread(id);
}

export function Labels({ project }: { readonly project: Project }) {
  const [edited, setEdited] = useState<Label | 'new'>();
  const [deleted, setDeleted] = useState<Label>();
  const labels = useLabels(project.id);
  const mayWrite = may('work-items:write');
  const remove = async ({ id, name }: Label) => {
    try {
      await deleteIt(project.id, id);
      tell(common.deleted({ name }));
    } catch (error) {
      tellFailure(parts.notChanged, error);
    }
  };
  return (
    <Loaded query={labels}>
      {(all) => (
        <>
          {mayWrite && (
            <div>
              <Button look="main" text={words.newLabel} onClick={() => setEdited('new')} />
            </div>
          )}
          <SettingsList of={all} none={words.noLabels}>
            {(label) => (
              <li key={label.id} class="settings-row">
                <div>
                  <div class="row">
                    <LabelDot colour={label.colour} />
                    <h2>{label.name}</h2>
                    <span class="quiet">{nameOf(label.colour)}</span>
                  </div>
                </div>
                {mayWrite && (
                  <EditDelete name={label.name} onEdit={() => setEdited(label)} onDelete={() => setDeleted(label)} />
                )}
              </li>
            )}
          </SettingsList>
          {edited && (
            <LabelForm
              projectId={project.id}
              suggested={LABEL_COLOURS[all.length % LABEL_COLOURS.length] ?? ''}
              label={edited === 'new' ? undefined : edited}
              onClose={() => setEdited(undefined)}
            />
          )}
          {deleted && (
            <Confirm
              title={common.deleteOf({ name: deleted.name })}
              text={words.deleteLabelText}
              action={parts.delete}
              onConfirm={() => void remove(deleted)}
              onClose={() => setDeleted(undefined)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

interface LabelFormProps {
  readonly projectId: string;
  /** The one being changed; if absent, a new one is created. */
  readonly label: Label | undefined;
  readonly suggested: string;
  readonly onClose: () => void;
}

function LabelForm({ projectId, label, suggested, onClose }: LabelFormProps) {
  const [name, setName] = useState(label?.name ?? '');
  const [colour, setColour] = useState(label?.colour ?? suggested);
  const colours = [...new Set([...LABEL_COLOURS, colour])];
  const update = (fields: Partial<Pick<Label, 'name' | 'colour'>>, labelId: string) =>
    call<typeof updateLabel>('PATCH /api/projects/:id/labels/:labelId', { id: projectId, labelId, ...fields });
  const save = async () => {
    if (label) {
      const fields = { name, colour };
      await update(changedIn(fields, label), label.id);
      const back = changedIn({ name: label.name, colour: label.colour }, fields);
      did(words.changed({ name }), () => update(back, label.id).then(() => reread(projectId)));
    } else {
      const made = await call<typeof createLabel>('POST /api/projects/:id/labels', { id: projectId, name, colour });
      did(words.added({ name }), () => deleteIt(projectId, made.id));
    }
    await reread(projectId);
    onClose();
  };
  const isReady = name.trim() !== '';
  return (
    <Dialog title={label ? common.editOf({ name: label.name }) : words.newLabel} onClose={onClose}>
      <DialogForm action={label ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={common.name} value={name} name="name" onChange={setName} />
        <SelectField
          label={words.colour}
          value={colour}
          options={colours.map((each) => [each, nameOf(each), <LabelDot key={each} colour={each} />])}
          onChoose={(chosen) => chosen && setColour(chosen)}
        />
      </DialogForm>
    </Dialog>
  );
}
