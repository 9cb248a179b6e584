import type { createLabel, listLabels } from '@worktrack/contracts/projects/label-operations';
import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { useBusy } from './busy.ts';
import { Field } from './field.tsx';
import { Label } from './label.tsx';
import { words } from './messages.ts';

/** Told apart at a glance, and by people who see few colours. */
const COLOURS = ['#1f6feb', '#b35900', '#1a7f37', '#8250df', '#cf222e', '#0e7490', '#9a6700', '#bf3989'];

interface LabelsFieldProps {
  readonly label: string;
  readonly projectId: string;
  readonly names: readonly string[];
  readonly onChange: (names: string[]) => void;
  readonly disabled?: boolean;
}

/** The labels of an item: Enter adds the one that was typed or chosen, which is created if the project has none of this name. */
export function LabelsField({ label, projectId, names, onChange, disabled }: LabelsFieldProps) {
  const list = useId();
  const [typed, setTyped] = useState('');
  const { isBusy, run } = useBusy(words.notCreated);
  const labels = useQuery({
    key: ['labels', projectId],
    load: (signal) => call<typeof listLabels>('GET /api/projects/:id/labels', { id: projectId }, { signal }),
    follows: ({ subject }) => subject.kind === 'project' && subject.id === projectId,
  });
  const known = labels.data ?? [];
  const add = () =>
    run(async () => {
      const wanted = typed.trim();
      if (!wanted) return;
      const found = known.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
      const colour = COLOURS[known.length % COLOURS.length] ?? '#1f6feb';
      const { name } =
        found ??
        (await call<typeof createLabel>('POST /api/projects/:id/labels', { id: projectId, name: wanted, colour }));
      if (!found) await queries.invalidateQueries({ queryKey: ['labels', projectId] });
      setTyped('');
      if (!names.includes(name)) onChange([...names, name]);
    });
  return (
    <Field label={label}>
      {(control) => (
        <>
          {names.length > 0 && (
            <ul class="plain row">
              {names.map((name) => (
                <li key={name} class="row">
                  <Label name={name} colour={known.find((each) => each.name === name)?.colour} />
                  {!disabled && (
                    <button
                      type="button"
                      class="tag-remove"
                      aria-label={words.remove({ what: name })}
                      onClick={() => onChange(names.filter((each) => each !== name))}
                    >
                      ×
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            class="input"
            autocomplete="off"
            list={list}
            maxLength={50}
            placeholder={words.labelName}
            disabled={disabled}
            aria-busy={isBusy}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing || !typed.trim()) return;
              event.preventDefault();
              void add();
            }}
          />
          <datalist id={list}>
            {known
              .filter(({ name }) => !names.includes(name))
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
