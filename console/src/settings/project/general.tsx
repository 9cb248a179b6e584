import type { deleteProject } from '@worktrack/contracts/projects/project-operations';
import { useLayoutEffect, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { useSubmit } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { DialogForm } from '../../parts/form/dialog-form.tsx';
import { draftOf, dropDraft, keepDraft } from '../../parts/form/draft.ts';
import { TextArea, TextField } from '../../parts/form/field.tsx';
import { FormFailed, faultAt } from '../../parts/form/form-failed.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { words as parts } from '../../parts/messages.ts';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import type { Project } from '../../parts/project.ts';
import { go, to } from '../../router.ts';
import { words as common } from '../messages.ts';
import { type ProjectChanges, saveProject } from './change.ts';
import { words } from './messages.ts';

const FIELDS = ['name', 'key', 'description', 'techStack', 'repositories'] as const;
type Typed = Partial<Pick<Project, 'name' | 'key' | 'description' | 'gates' | 'dependencyMet'>> & {
  readonly techStack?: string;
  readonly repositories?: string;
};
type Name = keyof Typed;

/** What it is called, and its rules. What is not being changed here follows what others do. */
export function General({ project }: { readonly project: Project }) {
  const draft = `project.${project.id}`;
  const saved = { ...project, techStack: project.techStack.join('\n'), repositories: project.repositories.join('\n') };
  // Each with what it was written upon.
  const [{ typed, base }, setBegun] = useState(() => {
    const begun = draftOf(draft);
    const read = (text = '{}'): Typed => JSON.parse(text);
    return { typed: read(begun?.text), base: read(begun?.base) };
  });
  const isChanged = Object.keys(typed).length > 0;
  useLayoutEffect(() => {
    if (isChanged) keepDraft(draft, JSON.stringify(typed), JSON.stringify(base));
    else dropDraft(draft);
  }, [typed]);
  const [isDeleting, setDeleting] = useState(false);
  const { isBusy, error, run } = useSubmit();
  const shown = { ...saved, ...typed };
  const set = (changes: Typed) => {
    const upon = Object.fromEntries(Object.keys(changes).map((name) => [name, saved[name as Name]]));
    setBegun({ typed: { ...typed, ...changes }, base: { ...upon, ...base } });
  };
  /** What somebody else has made meanwhile of what is being changed here: neither is lost, nor written over unseen. */
  const theirs = (name: Name) => {
    const now = saved[name];
    if (isBusy || base[name] === undefined || base[name] === now || typed[name] === now) return undefined;
    return `${words.overtaken} ${name === 'gates' || name === 'dependencyMet' ? words[saved[name]] : now}`;
  };
  const isReady = isChanged && shown.name.trim() !== '' && !isBusy;
  const save = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const { key, techStack, repositories, ...fields } = typed;
    const changes: ProjectChanges = {
      ...fields,
      ...(key !== undefined && { key: key.toUpperCase() }),
      ...(techStack !== undefined && { techStack: linesOf(techStack) }),
      ...(repositories !== undefined && { repositories: linesOf(repositories) }),
    };
    void run(async () => {
      await saveProject(project, changes);
      // What was typed meanwhile is not saved yet, and is upon what has been.
      setBegun((now) => {
        const left = Object.entries(now.typed).filter(([name, value]) => value !== typed[name as Name]);
        const names = left.map(([name]) => name as Name);
        return {
          typed: Object.fromEntries(left),
          base: Object.fromEntries(names.map((name) => [name, typed[name] ?? now.base[name]])),
        };
      });
    });
  };
  const lines = (name: 'description' | 'techStack' | 'repositories', help?: string) => (
    <TextArea
      label={words[name]}
      help={help}
      error={theirs(name) ?? faultAt(error, name)}
      rows={3}
      value={shown[name]}
      onChange={(text) => set({ [name]: text })}
    />
  );
  return (
    <>
      <form class="stack project-form" onSubmit={save}>
        <TextField
          label={common.name}
          value={shown.name}
          error={theirs('name') ?? faultAt(error, 'name')}
          onChange={(name) => set({ name })}
        />
        <TextField
          label={words.key}
          help={words.keyHelp}
          value={shown.key}
          error={theirs('key') ?? faultAt(error, 'key')}
          class="input project-key"
          onChange={(key) => set({ key })}
        />
        <fieldset class="field">
          <legend class="label">{words.gates}</legend>
          {(['enforce', 'warn'] as const).map((each) => (
            <label key={each} class="settings-check">
              <input type="radio" name="gates" checked={shown.gates === each} onChange={() => set({ gates: each })} />
              <span>
                <span class="settings-choice">{words[each]}</span>{' '}
                <span class="field-help settings-choice">{words[`${each}Help`]}</span>
              </span>
            </label>
          ))}
          {theirs('gates') && <p class="field-help">{theirs('gates')}</p>}
        </fieldset>
        <SelectField
          label={words.dependencyMet}
          help={theirs('dependencyMet') ?? words.dependencyMetHelp}
          value={shown.dependencyMet}
          options={(['review', 'testing', 'done'] as const).map((each) => [each, words[each]])}
          onChoose={(chosen) => chosen && set({ dependencyMet: chosen })}
        />
        {lines('description')}
        {lines('techStack', words.oneEach)}
        {lines('repositories', words.oneEach)}
        <FormFailed what={parts.notChanged} error={error} fields={FIELDS} />
        <div class="row">
          <button type="submit" class="button button-main" aria-disabled={!isReady}>
            {parts.save}
          </button>
          <Button look="bad" text={words.deleteProject} onClick={() => setDeleting(true)} />
        </div>
      </form>
      {isDeleting && <Deletion project={project} onClose={() => setDeleting(false)} />}
    </>
  );
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

interface DeletionProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Its name has to be typed: nothing brings a project back. */
function Deletion({ project: { id, name }, onClose }: DeletionProps) {
  const [typed, setTyped] = useState('');
  const isReady = typed.trim() === name;
  const remove = async () => {
    await call<typeof deleteProject>('DELETE /api/projects/:id', { id });
    onClose();
    tell(common.deleted({ name }));
    await queries.invalidateQueries({ queryKey: ['projects'] });
    go(to('settings/project', { project: undefined }));
  };
  return (
    <Dialog title={words.deleteProject} onClose={onClose}>
      <DialogForm action={parts.delete} isBad isReady={isReady} onSend={remove} onClose={onClose}>
        <p>{words.deleteText}</p>
        <TextField label={words.typeName({ name })} value={typed} onChange={setTyped} spellcheck={false} />
      </DialogForm>
    </Dialog>
  );
}
