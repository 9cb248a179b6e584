import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import { useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { DialogForm } from '../parts/form/dialog-form.tsx';
import { useDraft } from '../parts/form/draft.ts';
import { TextArea, TextField } from '../parts/form/field.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { words as common } from '../parts/messages.ts';
import { Loaded } from '../parts/page/states.tsx';
import { Dialog } from '../parts/popup/dialog.tsx';
import { chosenProject, type Project, useProjects } from '../parts/project.ts';
import { link } from './links.ts';
import { words } from './messages.ts';

const COLUMN = 'Backlog';
/** Not cut within an emoji. */
const MAX_TITLE = 120;

/** Turns a submission into an idea. Its words are a suggestion to be edited: agents read what is kept. */
export function NewIdea({ item, onClose }: { readonly item: FeedbackItem; readonly onClose: () => void }) {
  const projects = useProjects();
  const [projectId, setProjectId] = useState<string>();
  const [firstLine = ''] = item.message.trim().split('\n', 1);
  const drafts = {
    title: useDraft(`idea.title.${item.id}`, [...firstLine].slice(0, MAX_TITLE).join('')),
    description: useDraft(`idea.description.${item.id}`),
  };
  const [title, description] = [drafts.title.text, drafts.description.text];
  // Not another one when only the link is missing.
  const made = useRef<{ readonly said: string; readonly id: string }>(undefined);
  const create = async (project: Project) => {
    const place = { projectId: project.id, boardId: project.defaultBoardId, boardColumnId: COLUMN };
    const idea = { type: 'idea' as const, title, description, ...place };
    const said = JSON.stringify(idea);
    if (made.current?.said !== said) {
      const { id } = await call<typeof createWorkItem>('POST /api/work-items', idea);
      made.current = { said, id };
    }
    await link({ feedbackId: item.id, workItemId: made.current.id });
    for (const draft of Object.values(drafts)) draft.clear();
    onClose();
  };

  return (
    <Dialog title={words.makeIdea} onClose={onClose}>
      <Loaded query={projects}>
        {(all) => {
          const project = all.find(({ id }) => id === projectId) ?? chosenProject(all) ?? all[0];
          return (
            <DialogForm
              action={words.create}
              failed={words.notChanged}
              isReady={title.trim() !== ''}
              onSend={async () => project && create(project)}
              onClose={onClose}
            >
              {all.length > 1 && (
                <SelectField
                  label={common.project}
                  value={project?.id}
                  options={all.map(({ id, name }) => [id, name])}
                  onChoose={setProjectId}
                />
              )}
              <TextField label={words.ideaTitle} value={title} onChange={drafts.title.setText} />
              <TextArea label={words.ideaText} value={description} onChange={drafts.description.setText} />
            </DialogForm>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
