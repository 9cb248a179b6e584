import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { words as common } from '../parts/messages.ts';
import { tell, tellFailure } from '../parts/toasts.tsx';
import { may } from '../session.ts';
import { words } from './messages.ts';
import { Overtaken, saveItem } from './save.ts';

interface EditableProps {
  readonly item: WorkItem;
  readonly field: 'title' | 'description';
  /** For the field, and for the button that opens it. */
  readonly label: string;
  readonly editLabel: string;
  /** What is shown while it is not being edited. */
  readonly children: ComponentChildren;
}

/** A text that is edited in place. What others change meanwhile is shown next to it, and neither is lost. */
export function Editable({ item, field, label, editLabel, children }: EditableProps) {
  /** The item as it was when editing started, or as the person has seen it since. */
  const [base, setBase] = useState<WorkItem>();
  const [text, setText] = useState('');
  const [theirs, setTheirs] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isOpen = base !== undefined;
  useLayoutEffect(() => {
    if (isOpen) input.current?.focus();
  }, [isOpen]);

  const close = () => {
    setBase(undefined);
    setTheirs(undefined);
    requestAnimationFrame(() => button.current?.focus());
  };
  const save = async () => {
    if (!base || isBusy) return;
    setBusy(true);
    try {
      await saveItem(base, { [field]: text });
      tell(words.saved);
      close();
    } catch (error) {
      if (error instanceof Overtaken) {
        setTheirs(error.current[field]);
        setBase(error.current);
      } else tellFailure(words.notSaved, error);
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && (field === 'title' || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save();
    }
  };

  if (!base) {
    return (
      <div class="editable">
        {children}
        {may('work-items:write') && (
          <button
            ref={button}
            type="button"
            class="button button-quiet"
            aria-label={editLabel}
            onClick={() => {
              setText(item[field]);
              setBase(item);
            }}
          >
            {common.edit}
          </button>
        )}
      </div>
    );
  }
  const shared = {
    id,
    ref: input,
    class: 'input',
    value: text,
    onKeyDown,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => setText(currentTarget.value),
  };
  return (
    <div class="stack editable-open">
      {theirs !== undefined && (
        <div class="panel editable-conflict" role="alert">
          <p>
            <strong>{words.conflict}</strong>
          </p>
          <label for={`${id}-theirs`}>{words.theirs}</label>
          <textarea id={`${id}-theirs`} class="input" readOnly rows={field === 'title' ? 2 : 8} value={theirs} />
        </div>
      )}
      <div class="field">
        <label for={id}>{theirs === undefined ? label : words.yours}</label>
        {field === 'title' ? (
          <input {...shared} maxLength={500} />
        ) : (
          <textarea {...shared} rows={12} maxLength={50_000} />
        )}
      </div>
      <div class="row">
        <button type="button" class="button button-main" aria-disabled={isBusy} onClick={() => void save()}>
          {theirs === undefined ? common.save : words.saveMine}
        </button>
        <button type="button" class="button" onClick={close}>
          {theirs === undefined ? common.cancel : words.keepTheirs}
        </button>
      </div>
    </div>
  );
}
