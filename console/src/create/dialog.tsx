import type { Board } from '@worktrack/contracts/projects/board';
import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import type { createWorkItems } from '@worktrack/contracts/work-items/changes/create-items';
import type { ItemType, WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { didCreate } from '../change/copy.ts';
import { BOUNDS } from '../parts/form/bounds.ts';
import { DialogForm } from '../parts/form/dialog-form.tsx';
import { useDraft, useOwnDraft } from '../parts/form/draft.ts';
import { Field, TextArea } from '../parts/form/field.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { changeTo, choicesOf } from '../parts/item/choices.tsx';
import { type Entered, ItemField, ItemsField, NOTHING_ENTERED, namesIn } from '../parts/item/item-field.tsx';
import { TypeIcon } from '../parts/item/item-icons.tsx';
import { TYPES } from '../parts/item/item-values.ts';
import { itemWords } from '../parts/item/item-words.ts';
import { LabelsField } from '../parts/item/labels-field.tsx';
import {
  asStored,
  CHOICES,
  CHOSEN,
  type ChosenField,
  fieldWords,
  INPUTS,
  WRITTEN,
  type WrittenField,
} from '../parts/item/plain-fields.ts';
import { words as common } from '../parts/messages.ts';
import { Empty, Loaded, Loading } from '../parts/page/states.tsx';
import { Dialog } from '../parts/popup/dialog.tsx';
import { chosenProject, type Project, useBoards, useProjects } from '../parts/project.ts';
import { words as filterWords } from '../views/filters/messages.ts';
import { areTooMany, itemsOf, LinesField, MAX_BELOW, NO_LINES } from './lines.tsx';
import { words } from './messages.ts';
import type { Place } from './open.ts';

interface CreateProps {
  readonly place: Place;
  readonly onClose: () => void;
}

export function CreateDialog({ place, onClose }: CreateProps) {
  const projects = useProjects();
  const [projectId, setProjectId] = useState(place.projectId);
  const shown = useRef<Project>(undefined);
  const draft = useOwnDraft('create');
  return (
    <Dialog title={common.newItem} onClose={onClose}>
      <Loaded query={projects}>
        {(all) => {
          const wanted = projectId ?? shown.current?.id;
          // One that is gone meanwhile is replaced by nobody but the user, and is refused until then.
          const project = all.find(({ id }) => id === wanted) ?? shown.current ?? chosenProject(all) ?? all[0];
          shown.current = project;
          if (!project) return <Empty>{words.noProject}</Empty>;
          if (!draft) return <Loading />;
          return <OfProject {...{ project, projects: all, onProject: setProjectId, draft, place, onClose }} />;
        }}
      </Loaded>
    </Dialog>
  );
}

interface OfProjectProps extends CreateProps {
  readonly project: Project;
  readonly projects: readonly Project[];
  readonly onProject: (id: string) => void;
  /** Begins the names of what is kept of it. */
  readonly draft: string;
}

function OfProject(props: OfProjectProps) {
  const { project, place } = props;
  // What was filled in stays when another project is chosen.
  const boards = useBoards(project.id, { keepsEarlier: true });
  return (
    <Loaded query={boards}>
      {(all) => {
        if (boards.isPlaceholderData) return <Form {...props} board={undefined} />;
        const board = [place.boardId, project.defaultBoardId].flatMap((id) => all.find((each) => each.id === id) ?? []);
        const [shown = all[0]] = board;
        return shown && <Form {...props} board={shown} />;
      }}
    </Loaded>
  );
}

interface FormProps extends OfProjectProps {
  /** Undefined: not read yet. */
  readonly board: Board | undefined;
}

function Form({ project, projects, onProject, draft, board, place, onClose }: FormProps) {
  const title = useRef<HTMLInputElement>(null);
  const drafts = {
    title: useDraft(`${draft}.title`),
    description: useDraft(`${draft}.description`),
    lines: useDraft(`${draft}.lines`),
    chosen: useDraft(`${draft}.chosen`),
  };
  const text = { title: drafts.title.text, description: drafts.description.text };
  const [chosen, setChosen] = useState<Chosen>(() => {
    // What was chosen and nothing written for is not begun.
    const isBegun = [...Object.values(text), drafts.lines.text].some((each) => each !== '');
    const { type, columnId, parent } = place;
    const here = Object.entries({ type, columnId, parent }).filter(([, value]) => value !== undefined);
    return {
      ...NOTHING_CHOSEN,
      ...(isBegun && JSON.parse(drafts.chosen.text || '{}')),
      ...Object.fromEntries(here),
    };
  });
  const { type, columnId, parent, dependsOn, written, labels, isChain } = chosen;
  const latest = useRef(chosen);
  const choose = (changes: Partial<Chosen>) => {
    latest.current = { ...latest.current, ...changes };
    setChosen(latest.current);
    drafts.chosen.setText(JSON.stringify(latest.current));
  };
  const finishLabels = useRef(async (): Promise<string[]> => []);
  const [template, setTemplate] = useState<Template>();
  const lines = { text: drafts.lines.text, isChain };
  const setLines = (changed: typeof lines) => {
    drafts.lines.setText(changed.text);
    choose({ isChain: changed.isChain });
  };
  useEffect(() => title.current?.focus(), []);

  // One of another project's board is none of this one's.
  const columns = board?.columns ?? [];
  const column = columns.find(({ id }) => id === columnId) ?? firstOf(columns);
  const below = HAS_SUB_ITEMS.includes(type) ? lines : NO_LINES;
  const isReady = text.title.trim() !== '' && column !== undefined && !areTooMany(below, MAX_BELOW);
  const begin = (from: Template | undefined) => {
    // What was written stays; what another template has put there does not.
    const isOwn = (field: 'title' | 'description') => text[field] !== '' && text[field] !== (template?.[field] ?? '');
    for (const field of ['title', 'description'] as const) {
      if (!isOwn(field)) drafts[field].setText(from?.[field] ?? '');
    }
    choose({
      ...(from && { type: from.type }),
      priority: from?.priority ?? NOTHING_CHOSEN.priority,
      labels: from?.labels ?? [],
    });
    setTemplate(from);
    // Once the list of templates is closed, and the title drawn: after what it begins with.
    setTimeout(() => {
      title.current?.focus();
      title.current?.setSelectionRange(title.current.value.length, title.current.value.length);
    });
  };
  const create = async () => {
    if (!isReady || !board) return;
    const bases = namesIn(dependsOn);
    const item = {
      ...{ type, ...text },
      ...Object.fromEntries(CHOSEN.flatMap((name) => (chosen[name] ? [[name, chosen[name]]] : []))),
      ...(parent && { parentId: parent }),
      ...Object.fromEntries(WRITTEN.flatMap((name) => (written[name] ? [[name, asStored(name, written[name])]] : []))),
      ...(bases.length > 0 && { dependsOn: bases }),
    };
    const place = { projectId: project.id, boardId: board.id };
    const all = await finishLabels.current();
    const labelled = { ...item, ...(all.length > 0 && { labels: all }) };
    const subItems = itemsOf(below, { type: 'task' as const, parentId: '#top' });
    if (subItems.length > 0) {
      const items = [{ ...labelled, ref: 'top', boardColumnId: column.id }, ...subItems];
      const made = await call<typeof createWorkItems>('POST /api/work-items/batch', { ...place, items });
      const taskId = made.items[0]?.taskId ?? '';
      done(
        words.createdWith({ taskId, n: subItems.length }),
        made.items.map((each) => ({ ...each, version: 1 })),
      );
    } else {
      const made = await call<typeof createWorkItem>('POST /api/work-items', {
        ...{ ...labelled, ...place, boardColumnId: column.id },
      });
      done(words.created({ taskId: made.taskId }), [made]);
    }
  };
  const done = (...what: Parameters<typeof didCreate>) => {
    for (const draft of Object.values(drafts)) draft.clear();
    onClose();
    didCreate(...what);
  };
  return (
    <DialogForm action={words.create} failed={common.notCreated} isReady={isReady} onSend={create} onClose={onClose}>
      {project.templates.length > 0 && (
        <SelectField
          label={words.template}
          value={template?.name}
          options={project.templates.map(({ name, type: of }) => [
            name,
            name,
            <TypeIcon key={name} type={of} isNamed={false} />,
          ])}
          none={words.noTemplate}
          onChoose={(wanted) => begin(project.templates.find(({ name }) => name === wanted))}
        />
      )}
      <Field label={words.title} name="title">
        {(control) => (
          <input
            {...control}
            ref={title}
            class="input"
            autocomplete="off"
            value={text.title}
            onInput={({ currentTarget }) => drafts.title.setText(currentTarget.value)}
          />
        )}
      </Field>
      <TextArea
        label={words.description}
        name="description"
        rows={4}
        value={text.description}
        onChange={drafts.description.setText}
      />
      {projects.some(({ id }) => id !== project.id) && (
        <SelectField
          label={common.project}
          value={project.id}
          options={projects.map(({ id, name }) => [id, name])}
          onChoose={onProject}
        />
      )}
      <div class="dialog-pairs">
        <SelectField
          label={filterWords.type}
          value={type}
          options={TYPES.map((each) => [each, itemWords[each]])}
          onChoose={(wanted) => wanted && choose({ type: wanted })}
        />
        <SelectField
          label={filterWords.boardColumnId}
          value={column?.id}
          options={columns.map(({ id, name }) => [id, name])}
          onChoose={(wanted) => choose({ columnId: wanted })}
        />
        {CHOSEN.map((name) => (
          <SelectField
            key={name}
            label={fieldWords[name]}
            value={chosen[name] ?? ''}
            options={choicesOf(name).map(([value, word]) => [value, word])}
            onChoose={(wanted) => choose(changeTo(name, wanted))}
          />
        ))}
        <ItemField
          label={words.parent}
          name="parentId"
          projectId={project.id}
          value={parent}
          onChange={(wanted) => choose({ parent: wanted })}
        />
        {WRITTEN.map((name) => (
          <Field key={name} label={fieldWords[name]}>
            {(control) => (
              <input
                {...control}
                class="input"
                type={INPUTS[name]}
                {...BOUNDS[INPUTS[name]]}
                value={written[name] ?? ''}
                onInput={({ currentTarget }) => choose({ written: { ...written, [name]: currentTarget.value } })}
              />
            )}
          </Field>
        ))}
      </div>
      {HAS_SUB_ITEMS.includes(type) && <LinesField value={lines} rows={3} max={MAX_BELOW} onChange={setLines} />}
      <LabelsField
        key={project.id}
        label={common.labels}
        projectId={project.id}
        names={labels}
        finish={finishLabels}
        onChange={(change) => choose({ labels: change(latest.current.labels) })}
      />
      <ItemsField
        label={words.dependsOn}
        name="dependsOn"
        projectId={project.id}
        value={dependsOn}
        onChange={(entered) => choose({ dependsOn: entered })}
      />
    </DialogForm>
  );
}

type Template = Project['templates'][number];

/** What is kept until it is created, beside the texts. */
interface Chosen extends Pick<WorkItem, ChosenField> {
  readonly type: ItemType;
  readonly columnId?: string;
  readonly parent: string;
  readonly dependsOn: Entered;
  readonly written: Partial<Record<WrittenField, string>>;
  readonly labels: readonly string[];
  readonly isChain: boolean;
}
const NOTHING_CHOSEN: Chosen = {
  ...(Object.fromEntries(CHOSEN.map((name) => [name, CHOICES[name].initial])) as Pick<WorkItem, ChosenField>),
  ...{ type: 'task', parent: '', dependsOn: NOTHING_ENTERED, written: {}, labels: [] },
  isChain: false,
};

const HAS_SUB_ITEMS: readonly ItemType[] = ['epic', 'feature', 'story'];

/** Where nobody begins before somebody says so. */
function firstOf(columns: Board['columns']) {
  return columns.find(({ role }) => role === 'backlog') ?? columns[0];
}
