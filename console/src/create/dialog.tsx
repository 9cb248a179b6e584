import type { Board } from '@worktrack/contracts/projects/board';
import type { listBoards } from '@worktrack/contracts/projects/board-operations';
import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { useSubmit } from '../parts/busy.ts';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { FormFailed } from '../parts/form-failed.tsx';
import { ItemField, ItemsField, NOTHING_ENTERED, namesIn } from '../parts/item-field.tsx';
import { PRIORITIES, TYPES } from '../parts/item-values.ts';
import { itemWords } from '../parts/item-words.ts';
import { LabelsField } from '../parts/labels-field.tsx';
import { words as common } from '../parts/messages.ts';
import { chosenProject, type Project, useProjects } from '../parts/project.ts';
import { SelectField } from '../parts/select.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { tell } from '../parts/toasts.tsx';
import { go, to } from '../router.ts';
import { clearDraft, draft } from './draft.ts';
import { words } from './messages.ts';
import type { Place } from './open.ts';

interface CreateProps {
  readonly place: Place;
  readonly onClose: () => void;
}

export function CreateDialog({ place, onClose }: CreateProps) {
  const projects = useProjects();
  const [projectId, setProjectId] = useState(place.projectId);
  return (
    <Dialog title={common.newItem} onClose={onClose}>
      <Loaded query={projects}>
        {(all) => {
          const project = all.find(({ id }) => id === projectId) ?? chosenProject(all);
          if (!project) return <Empty>{words.noProject}</Empty>;
          return (
            <OfProject project={project} projects={all} onProject={setProjectId} place={place} onClose={onClose} />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

interface OfProjectProps extends CreateProps {
  readonly project: Project;
  readonly projects: readonly Project[];
  readonly onProject: (id: string) => void;
}

function OfProject(props: OfProjectProps) {
  const { project, place } = props;
  const boards = useQuery({
    key: ['boards', project.id],
    load: (signal) => call<typeof listBoards>('GET /api/projects/:id/boards', { id: project.id }, { signal }),
    follows: ({ subject, projectId }) => subject.kind === 'board' && projectId === project.id,
  });
  return (
    <Loaded query={boards}>
      {(all) => {
        const board = [place.boardId, project.defaultBoardId].flatMap((id) => all.find((each) => each.id === id) ?? []);
        const [shown = all[0]] = board;
        return shown && <Form {...props} board={shown} />;
      }}
    </Loaded>
  );
}

function Form({ project, projects, onProject, board, place, onClose }: OfProjectProps & { readonly board: Board }) {
  const title = useRef<HTMLInputElement>(null);
  const [text, setText] = useState({ ...draft });
  const [type, setType] = useState<ItemType>(place.type ?? 'task');
  const [columnId, setColumn] = useState(place.columnId);
  const [priority, setPriority] = useState<Priority>('medium');
  const [parent, setParent] = useState(place.parent ?? '');
  const [dependsOn, setDependsOn] = useState(NOTHING_ENTERED);
  const [dueDate, setDueDate] = useState('');
  const [estimate, setEstimate] = useState('');
  const [labels, setLabels] = useState<string[]>([]);
  const { isBusy, error, run } = useSubmit();
  useEffect(() => title.current?.focus(), []);

  const change = (changes: Partial<typeof draft>) => setText(Object.assign(draft, changes) && { ...draft });
  // One of another project's board is none of this one's.
  const column = board.columns.find(({ id }) => id === columnId) ?? firstOf(board);
  const isReady = text.title.trim() !== '' && column !== undefined && !isBusy;
  const create = (event: Event) => {
    event.preventDefault();
    if (!isReady || !column) return;
    const bases = namesIn(dependsOn);
    void run(async () => {
      const { taskId } = await call<typeof createWorkItem>('POST /api/work-items', {
        type,
        ...text,
        priority,
        projectId: project.id,
        boardId: board.id,
        boardColumnId: column.id,
        ...(parent && { parentId: parent }),
        ...(dueDate && { dueDate }),
        ...(estimate && { estimate: Number(estimate) }),
        ...(labels.length > 0 && { labels }),
        ...(bases.length > 0 && { dependsOn: bases }),
      });
      clearDraft();
      onClose();
      tell(words.created({ taskId }), { label: words.open, run: () => go(to(`items/${taskId}`)) });
      // Works even when there is no stream of events.
      void queries.invalidateQueries({ queryKey: ['cards'] });
    });
  };
  return (
    <form
      class="stack"
      onSubmit={create}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) create(event);
      }}
    >
      <Field label={words.title}>
        {(control) => (
          <input
            {...control}
            ref={title}
            class="input"
            autocomplete="off"
            value={text.title}
            onInput={({ currentTarget }) => change({ title: currentTarget.value })}
          />
        )}
      </Field>
      <Field label={words.description}>
        {(control) => (
          <textarea
            {...control}
            class="input"
            rows={4}
            value={text.description}
            onInput={({ currentTarget }) => change({ description: currentTarget.value })}
          />
        )}
      </Field>
      {projects.length > 1 && (
        <SelectField
          label={words.project}
          value={project.id}
          options={projects.map(({ id, name }) => [id, name])}
          onChoose={onProject}
        />
      )}
      <div class="dialog-pairs">
        <SelectField
          label={words.type}
          value={type}
          options={TYPES.map((each) => [each, itemWords[each]])}
          onChoose={(chosen) => chosen && setType(chosen)}
        />
        <SelectField
          label={words.column}
          value={column?.id}
          options={board.columns.map(({ id, name }) => [id, name])}
          onChoose={setColumn}
        />
        <SelectField
          label={words.priority}
          value={priority}
          options={PRIORITIES.map((each) => [each, itemWords[each]])}
          onChoose={(chosen) => chosen && setPriority(chosen)}
        />
        <ItemField label={words.parent} projectId={project.id} value={parent} onChange={setParent} />
        <Field label={common.dueDate}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="date"
              value={dueDate}
              onInput={({ currentTarget }) => setDueDate(currentTarget.value)}
            />
          )}
        </Field>
        <Field label={common.estimate}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="number"
              min={0}
              step="any"
              value={estimate}
              onInput={({ currentTarget }) => setEstimate(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <LabelsField key={project.id} label={common.labels} projectId={project.id} names={labels} onChange={setLabels} />
      <ItemsField label={words.dependsOn} projectId={project.id} value={dependsOn} onChange={setDependsOn} />
      <FormFailed what={common.notCreated} error={error} />
      <FormActions action={words.create} isReady={isReady} onClose={onClose} />
    </form>
  );
}

/** Where nobody begins before somebody says so. */
function firstOf({ columns }: Board) {
  return columns.find(({ role }) => role === 'backlog') ?? columns[0];
}
