import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import type { createWorkItem } from '@worktrack/contracts/work-items/create';
import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { chosenProject, useProjects } from '../parts/project.tsx';
import { Loaded } from '../parts/states.tsx';
import { tellFailure } from '../parts/toasts.tsx';
import { link } from './link-dialog.tsx';
import { words } from './messages.ts';

const COLUMN = 'Backlog';
const MAX_TITLE = 120;

/** Turns a submission into an idea. Its words are a suggestion to be edited: agents read what is kept. */
export function NewIdea({ item, onClose }: { readonly item: FeedbackItem; readonly onClose: () => void }) {
  const projects = useProjects();
  const [titleField, textField, projectField] = [useId(), useId(), useId()];
  const [isBusy, setBusy] = useState(false);
  const [projectId, setProjectId] = useState<string>();
  const [firstLine = ''] = item.message.trim().split('\n', 1);
  const [title, setTitle] = useState(firstLine.slice(0, MAX_TITLE));
  const [description, setDescription] = useState('');

  return (
    <Dialog title={words.makeIdea} onClose={onClose}>
      <Loaded query={projects}>
        {(all) => {
          const project = all.find(({ id }) => id === projectId) ?? chosenProject(all);
          const create = async (event: Event) => {
            event.preventDefault();
            if (!project || isBusy || !title.trim()) return;
            setBusy(true);
            try {
              const idea = await call<typeof createWorkItem>('POST /api/work-items', {
                type: 'idea',
                title,
                description,
                projectId: project.id,
                boardId: project.defaultBoardId,
                boardColumnId: COLUMN,
              });
              await link(item.id, idea.id);
              onClose();
            } catch (error) {
              tellFailure(words.notChanged, error);
            } finally {
              setBusy(false);
            }
          };
          return (
            <form class="stack" onSubmit={create}>
              {all.length > 1 && (
                <div class="field">
                  <label for={projectField}>{words.inProject}</label>
                  <select
                    id={projectField}
                    class="input"
                    value={project?.id}
                    onChange={({ currentTarget }) => setProjectId(currentTarget.value)}
                  >
                    {all.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                </div>
              )}
              <div class="field">
                <label for={titleField}>{words.ideaTitle}</label>
                <input
                  id={titleField}
                  class="input"
                  value={title}
                  onInput={({ currentTarget }) => setTitle(currentTarget.value)}
                />
              </div>
              <div class="field">
                <label for={textField}>{words.ideaText}</label>
                <textarea
                  id={textField}
                  class="input"
                  value={description}
                  onInput={({ currentTarget }) => setDescription(currentTarget.value)}
                />
              </div>
              <FormActions action={words.create} isReady={!isBusy && title.trim() !== ''} onClose={onClose} />
            </form>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
