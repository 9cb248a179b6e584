import type { getProject } from '@worktrack/contracts/projects/project-operations';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { attempt } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { useDraft } from '../../parts/form/draft.ts';
import { TextArea, TextField } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { TypeIcon } from '../../parts/item/item-icons.tsx';
import { TYPES } from '../../parts/item/item-values.ts';
import { itemWords } from '../../parts/item/item-words.ts';
import { LabelsField } from '../../parts/item/labels-field.tsx';
import { CHOICES, fieldWords } from '../../parts/item/plain-fields.ts';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import type { Project } from '../../parts/project.ts';
import { may } from '../../session.ts';
import { EditDelete } from '../edit-delete.tsx';
import { words as common } from '../messages.ts';
import { SettingsList } from '../section.tsx';
import { changedAsItIs, saveProject } from './change.ts';
import { words } from './messages.ts';

type Template = Project['templates'][number];

/** Gives the whole list, made of what it is now: others may have changed it since it was drawn. */
async function changeTemplates({ id }: Project, change: (all: readonly Template[]) => Template[], said: string) {
  await changedAsItIs(
    () => call<typeof getProject>('GET /api/projects/:id', { id }),
    (now) => saveProject(now, { templates: change(now.templates) }, { said, version: now.version }),
  );
}

export function Templates({ project }: { readonly project: Project }) {
  const [edited, setEdited] = useState<Template | 'new'>();
  const mayWrite = may('projects:write');
  const remove = ({ name }: Template) =>
    attempt(parts.notChanged, () =>
      changeTemplates(project, (all) => all.filter((each) => each.name !== name), common.deleted({ name })),
    );
  return (
    <>
      {mayWrite && (
        <div>
          <Button look="main" text={words.newTemplate} onClick={() => setEdited('new')} />
        </div>
      )}
      <SettingsList of={project.templates} none={words.noTemplates}>
        {(template) => (
          <li key={template.name} class="settings-row">
            <div>
              <div class="row">
                <TypeIcon type={template.type} />
                <h2>{template.name}</h2>
              </div>
              {template.title && <p class="quiet">{template.title}</p>}
            </div>
            {mayWrite && (
              <EditDelete
                name={template.name}
                onEdit={() => setEdited(template)}
                onDelete={() => void remove(template)}
              />
            )}
          </li>
        )}
      </SettingsList>
      {edited && (
        <TemplateForm
          project={project}
          template={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

interface TemplateFormProps {
  readonly project: Project;
  /** The one being changed; if absent, a new one is created. */
  readonly template: Template | undefined;
  readonly onClose: () => void;
}

function TemplateForm({ project, template, onClose }: TemplateFormProps) {
  // With all that it changes: what was begun is not put over what somebody else has made of it since.
  const draft = `template.${project.id}.${JSON.stringify(template ?? '')}`;
  const drafts = {
    name: useDraft(`${draft}.name`, template?.name),
    title: useDraft(`${draft}.title`, template?.title),
    description: useDraft(`${draft}.description`, template?.description),
  };
  const [name, title, description] = [drafts.name.text, drafts.title.text, drafts.description.text];
  const [type, setType] = useState<ItemType>(template?.type ?? 'task');
  const [priority, setPriority] = useState<Priority | ''>(template?.priority ?? '');
  const [labels, setLabels] = useState(template?.labels ?? []);
  const finishLabels = useRef(async (): Promise<string[]> => []);
  const save = async () => {
    const all = await finishLabels.current();
    const written: Template = {
      ...{ name, type },
      ...(title && { title }),
      ...(description && { description }),
      ...(priority && { priority }),
      ...(all.length > 0 && { labels: all }),
    };
    const change = (templates: readonly Template[]) =>
      template ? templates.map((each) => (each.name === template.name ? written : each)) : [...templates, written];
    await changeTemplates(project, change, (template ? words.changed : words.added)({ name }));
    for (const each of Object.values(drafts)) each.clear();
    onClose();
  };
  const isReady = name.trim() !== '';
  return (
    <Dialog title={template ? common.editOf({ name: template.name }) : words.newTemplate} onClose={onClose}>
      <DialogForm action={template ? parts.save : common.create} isReady={isReady} onSend={save} onClose={onClose}>
        <TextField label={common.name} value={name} name="name" onChange={drafts.name.setText} />
        <div class="dialog-pairs">
          <SelectField
            label={words.type}
            value={type}
            options={TYPES.map((each) => [each, itemWords[each]])}
            onChoose={(chosen) => chosen && setType(chosen)}
          />
          <SelectField
            label={fieldWords.priority}
            value={priority}
            options={CHOICES.priority.values.map((each) => [each, itemWords[each]])}
            none="–"
            onChoose={setPriority}
          />
        </div>
        <TextField label={words.itemTitle} value={title} name="title" onChange={drafts.title.setText} />
        <TextArea
          label={words.description}
          name="description"
          rows={5}
          value={description}
          onChange={drafts.description.setText}
        />
        <LabelsField
          label={parts.labels}
          projectId={project.id}
          names={labels}
          finish={finishLabels}
          onChange={setLabels}
        />
      </DialogForm>
    </Dialog>
  );
}
