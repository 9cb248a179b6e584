import type { createLabel } from '@worktrack/contracts/projects/label-operations';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { has } from '../../language/has.ts';
import { useBusy } from '../busy.ts';
import { Field } from '../form/field.tsx';
import { Suggest } from '../form/suggest.tsx';
import { TagRemove } from '../form/tag-remove.tsx';
import { words } from '../messages.ts';
import { Label, LabelDot } from './label.tsx';
import { LABEL_COLOURS, useLabels } from './labels.ts';

interface LabelsFieldProps {
  readonly label: string;
  readonly projectId: string;
  readonly names: readonly string[];
  readonly onChange: (names: string[]) => void;
  readonly disabled?: boolean;
}

/** The labels of an item: Enter adds the one that was typed or chosen, which is created if the project has none of this name. */
export function LabelsField({ label, projectId, names, onChange, disabled }: LabelsFieldProps) {
  const [typed, setTyped] = useState('');
  const { isBusy, run } = useBusy(words.notCreated);
  const labels = useLabels(projectId);
  const known = labels.data ?? [];
  const add = (written: string) =>
    run(async () => {
      const wanted = written.trim();
      if (!wanted) return;
      const found = known.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
      const colour = LABEL_COLOURS[known.length % LABEL_COLOURS.length] ?? '';
      const { name } =
        found ??
        (await call<typeof createLabel>('POST /api/projects/:id/labels', { id: projectId, name: wanted, colour }));
      if (!found) await queries.invalidateQueries({ queryKey: ['labels', projectId] });
      setTyped('');
      if (!names.includes(name)) onChange([...names, name]);
    });
  const suggestions = known
    .filter(({ name }) => !names.includes(name) && has(name, typed))
    .map(({ name, colour }) => ({ value: name, text: name, icon: <LabelDot colour={colour} /> }));
  return (
    <Field label={label}>
      {(control) => (
        <>
          {names.length > 0 && (
            <ul class="plain row">
              {names.map((name) => (
                <li key={name} class="row tag-entry">
                  <Label name={name} colour={known.find((each) => each.name === name)?.colour} />
                  {!disabled && (
                    <TagRemove what={name} onClick={() => onChange(names.filter((each) => each !== name))} />
                  )}
                </li>
              ))}
            </ul>
          )}
          {!disabled && (
            <Suggest
              {...control}
              maxLength={50}
              placeholder={words.addLabel}
              aria-busy={isBusy}
              value={typed}
              suggestions={suggestions}
              onInput={setTyped}
              onChoose={(name) => void add(name)}
              onEnter={() => void add(typed)}
            />
          )}
        </>
      )}
    </Field>
  );
}
