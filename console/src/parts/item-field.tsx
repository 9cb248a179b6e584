import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import { useEffect, useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { Field } from './field.tsx';
import { words } from './messages.ts';

/** After the last keystroke. */
const TYPING_MS = 200;
const MAX_OFFERED = 10;
const SEPARATORS = /[\s,;]+/;

interface ItemFieldProps {
  readonly label: string;
  readonly projectId: string;
  readonly value: string;
  readonly onChange: (taskId: string) => void;
}

/** A task ID, which may be looked up by the item's words. */
export function ItemField({ label, projectId, value, onChange }: ItemFieldProps) {
  const list = useId();
  const offered = useOffered(projectId, value);
  return (
    <Field label={label}>
      {(control) => (
        <>
          <input
            {...control}
            class="input"
            autocomplete="off"
            spellcheck={false}
            list={list}
            placeholder={words.idOrWords}
            value={value}
            onInput={({ currentTarget }) => onChange(currentTarget.value.trimStart())}
          />
          <Offered id={list} items={offered} />
        </>
      )}
    </Field>
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

interface ItemsFieldProps extends Omit<ItemFieldProps, 'value' | 'onChange'> {
  readonly value: Entered;
  readonly onChange: (value: Entered) => void;
}

/** Several task IDs: Enter adds what was typed or chosen. */
export function ItemsField({ label, projectId, value, onChange }: ItemsFieldProps) {
  const list = useId();
  const offered = useOffered(projectId, value.typed).filter(({ taskId }) => !value.added.includes(taskId));
  return (
    <Field label={label}>
      {(control) => (
        <>
          {value.added.length > 0 && (
            <ul class="plain row">
              {value.added.map((taskId) => (
                <li key={taskId} class="tag">
                  {taskId}
                  <button
                    type="button"
                    class="tag-remove"
                    aria-label={words.remove({ what: taskId })}
                    onClick={() => onChange({ ...value, added: value.added.filter((each) => each !== taskId) })}
                  >
                    ×
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            class="input"
            autocomplete="off"
            spellcheck={false}
            list={list}
            placeholder={words.idOrWords}
            value={value.typed}
            onInput={({ currentTarget }) => onChange({ ...value, typed: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || !value.typed.trim()) return;
              event.preventDefault();
              onChange({ added: namesIn(value), typed: '' });
            }}
          />
          <Offered id={list} items={offered} />
        </>
      )}
    </Field>
  );
}

function Offered({ id, items }: { readonly id: string; readonly items: readonly WorkItemSummary[] }) {
  return (
    <datalist id={id}>
      {items.map(({ taskId, title }) => (
        <option key={taskId} value={taskId}>
          {title}
        </option>
      ))}
    </datalist>
  );
}

function useOffered(projectId: string, text: string) {
  const [search, setSearch] = useState('');
  const typed = text.trim();
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery({
    key: ['offered', projectId, search],
    load: (signal) =>
      call<typeof listWorkItems>('GET /api/work-items', { projectId, search, limit: MAX_OFFERED }, { signal }),
    follows: (event) => event.subject.kind === 'work_item' && event.projectId === projectId,
    enabled: search !== '',
  });
  return found.data?.workItems ?? [];
}
