import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { Field } from '../form/field.tsx';
import { useRested } from '../form/rested.ts';
import { Suggest, type Suggestion } from '../form/suggest.tsx';
import { TagRemove } from '../form/tag-remove.tsx';
import { words } from '../messages.ts';
import { foundItems, OFFERED } from './found-items.ts';
import { TypeIcon } from './item-icons.tsx';

const MAX_OFFERED = 10;
const SEPARATORS = /[\s,;]+/;

interface ItemFieldProps {
  readonly label: string;
  readonly help?: string;
  /** As the service calls it. */
  readonly name?: string;
  readonly error?: ComponentChildren | undefined;
  readonly projectId: string;
  readonly value: string;
  readonly onChange: (taskId: string) => void;
}

/** A task ID, which may be looked up by the item's words. */
export function ItemField({ projectId, value, onChange, ...field }: ItemFieldProps) {
  const suggestions = useSuggestions(projectId, value);
  return (
    <Field {...field}>
      {(control) => (
        <Suggest
          {...control}
          placeholder={words.idOrWords}
          value={value}
          suggestions={suggestions}
          onInput={(text) => onChange(text.trimStart())}
          onChoose={onChange}
        />
      )}
    </Field>
  );
}

interface ItemPickerProps {
  readonly label: string;
  readonly projectId: string;
  /** Those that are not offered. */
  readonly except: readonly (string | undefined)[];
  /** @returns what was done, if it was; else what was typed stays */
  readonly onChoose: (taskId: string) => Promise<unknown>;
}

/** Looks up an item, to do something with it at once. */
export function ItemPicker({ label, projectId, except, onChoose }: ItemPickerProps) {
  const [typed, setTyped] = useState('');
  const suggestions = useSuggestions(projectId, typed).filter(({ value }) => !except.includes(value));
  const choosing = useRef<string>(undefined);
  const choose = async (taskId: string) => {
    if (choosing.current === taskId) return;
    choosing.current = taskId;
    setTyped(taskId);
    const isChosen = await onChoose(taskId.trim());
    choosing.current = undefined;
    // Not the next one, which may be being typed.
    if (isChosen) setTyped((since) => (since === taskId ? '' : since));
  };
  return (
    <Suggest
      aria-label={label}
      placeholder={words.idOrWords}
      value={typed}
      suggestions={suggestions}
      onInput={setTyped}
      onChoose={(taskId) => void choose(taskId)}
      onEnter={() => void choose(typed)}
    />
  );
}

/** Several items as they are being entered: what is typed counts, also before it is added to the list. */
export interface Entered {
  readonly added: readonly string[];
  readonly typed: string;
}

export const NOTHING_ENTERED: Entered = { added: [], typed: '' };

export function namesIn({ added, typed }: Entered): string[] {
  return [...new Set([...added, ...typed.split(SEPARATORS).filter(Boolean)])];
}

interface ItemsFieldProps extends Pick<ItemFieldProps, 'label' | 'name' | 'projectId'> {
  readonly value: Entered;
  readonly onChange: (value: Entered) => void;
}

/** Several task IDs: Enter adds what was typed or chosen. */
export function ItemsField({ projectId, value, onChange, ...field }: ItemsFieldProps) {
  const suggestions = useSuggestions(projectId, value.typed).filter((each) => !value.added.includes(each.value));
  const add = (typed: string) => onChange({ added: namesIn({ ...value, typed }), typed: '' });
  return (
    <Field {...field}>
      {(control) => (
        <>
          {value.added.length > 0 && (
            <ul class="plain row">
              {value.added.map((taskId) => (
                <li key={taskId} class="tag">
                  {taskId}
                  <TagRemove
                    what={taskId}
                    onClick={() => onChange({ ...value, added: value.added.filter((each) => each !== taskId) })}
                  />
                </li>
              ))}
            </ul>
          )}
          <Suggest
            {...control}
            placeholder={words.idOrWords}
            value={value.typed}
            suggestions={suggestions}
            onInput={(typed) => onChange({ ...value, typed })}
            onChoose={add}
            onEnter={() => add(value.typed)}
          />
        </>
      )}
    </Field>
  );
}

/** What the words, or the beginning of an ID, find. */
function useSuggestions(projectId: string, text: string): readonly Suggestion[] {
  const typed = text.trim();
  const search = useRested(typed);
  const found = useQuery({
    key: [OFFERED, projectId, search],
    load: (signal) => foundItems(projectId, search, MAX_OFFERED, signal),
    follows: (event) => event.subject.kind === 'work_item' && event.projectId === projectId,
    enabled: search !== '',
  });
  const items = typed === '' ? [] : (found.data ?? []);
  return items.map(({ taskId, title, type }) => ({
    value: taskId,
    text: `${taskId} ${title}`,
    icon: <TypeIcon type={type} isNamed={false} />,
  }));
}
