import type { createLabel } from '@worktrack/contracts/projects/label-operations';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { has } from '../../language/has.ts';
import { Field } from '../form/field.tsx';
import { Suggest } from '../form/suggest.tsx';
import { TagRemove } from '../form/tag-remove.tsx';
import { words } from '../messages.ts';
import { tellFailure } from '../popup/toasts.tsx';
import { Label, LabelDot } from './label.tsx';
import { LABEL_COLOURS, labelsOf, useLabels } from './labels.ts';

interface LabelsFieldProps {
  readonly label: string;
  readonly projectId: string;
  readonly names: readonly string[];
  /** With what is to become of them, whichever they are by then. */
  readonly onChange: (change: (names: readonly string[]) => string[]) => void;
  readonly disabled?: boolean;
  /** For a form that is sent: adds what is still typed. @returns all of them, once they are there. @throws why one is not */
  readonly finish?: RefObject<() => Promise<string[]>>;
}

/** The labels of an item: Enter adds the one that was typed or chosen, which is created if the project has none of this name. */
export function LabelsField({ label, projectId, names, onChange, disabled, finish }: LabelsFieldProps) {
  const [typed, setTyped] = useState('');
  const [waiting, setWaiting] = useState(0);
  const known = useLabels(projectId).data ?? [];
  // One after the other: the next is typed while one is created.
  const earlier = useRef(Promise.resolve());
  const failure = useRef<unknown>(undefined);
  const latest = useRef(names);
  latest.current = names;
  const change = useRef(onChange);
  change.current = onChange;
  const add = (written: string) => {
    const wanted = written.trim();
    if (!wanted) return;
    setTyped('');
    setWaiting((n) => n + 1);
    earlier.current = earlier.current.then(async () => {
      try {
        const name = await nameOf(projectId, wanted);
        change.current((all) => {
          const added = [...new Set([...all, name])];
          latest.current = added;
          return added;
        });
      } catch (error) {
        failure.current = error;
        tellFailure(words.notCreated, error);
        setTyped((since) => since || written);
      } finally {
        setWaiting((n) => n - 1);
      }
    });
  };
  if (finish) {
    finish.current = async () => {
      failure.current = undefined;
      add(typed);
      await earlier.current;
      if (failure.current !== undefined) throw failure.current;
      return [...latest.current];
    };
  }
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
                    <TagRemove what={name} onClick={() => onChange((all) => all.filter((each) => each !== name))} />
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
              aria-busy={waiting > 0}
              value={typed}
              suggestions={suggestions}
              onInput={setTyped}
              onChoose={add}
              onEnter={() => add(typed)}
            />
          )}
        </>
      )}
    </Field>
  );
}

/** As the project calls it, which is given it if it has none of this name. */
async function nameOf(projectId: string, wanted: string): Promise<string> {
  const known = await labelsOf(projectId);
  const found = known.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found) return found.name;
  const colour = LABEL_COLOURS[known.length % LABEL_COLOURS.length] ?? '';
  const input = { id: projectId, name: wanted, colour };
  const { name } = await call<typeof createLabel>('POST /api/projects/:id/labels', input);
  await queries.invalidateQueries({ queryKey: ['labels', projectId] });
  return name;
}
