import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Overtaken, saveItem } from '../change/save.ts';
import { Button } from '../parts/button.tsx';
import { Editor } from '../parts/editor/editor.tsx';
import { draftOf, dropDraft, keepDraft } from '../parts/form/draft.ts';
import { Icon } from '../parts/icon.tsx';
import { editIcon } from '../parts/icons.ts';
import { words as common } from '../parts/messages.ts';
import { tell, tellFailure } from '../parts/popup/toasts.tsx';
import { may } from '../session.ts';
import { useAttach } from './attachments/attach.ts';
import { words } from './messages.ts';

interface EditableProps {
  readonly item: WorkItem;
  readonly field: 'title' | 'description';
  /** For the field, and for the button that opens it. */
  readonly label: string;
  readonly editLabel: string;
  /** What is shown while it is not being edited. */
  readonly children: ComponentChildren;
}

/**
 * A text that is edited in place. What others change meanwhile is shown next to it, and neither is lost; nor is what was begun and not saved, which is
 * there again when it is next edited.
 */
export function Editable({ item, field, label, editLabel, children }: EditableProps) {
  const draft = `${field}.${item.id}`;
  /** The item as it was when editing started, or as the person has seen it since. */
  const [base, setBase] = useState<WorkItem>();
  const [text, setText] = useState('');
  const latest = useRef('');
  const [theirs, setTheirs] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { attach, isStoring } = useAttach(item);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isOpen = base !== undefined;
  // With what is shown, and not a frame later: what is typed next belongs there.
  useLayoutEffect(() => {
    if (!isOpen) return;
    input.current?.focus();
    return () => button.current?.focus();
  }, [isOpen]);

  const open = () => {
    const begun = draftOf(draft);
    latest.current = begun?.text ?? item[field];
    setText(latest.current);
    if (begun?.base !== undefined && begun.base !== item[field]) setTheirs(item[field]);
    setBase(item);
  };
  const close = () => {
    dropDraft(draft);
    setBase(undefined);
    setTheirs(undefined);
  };
  const change = (changed: string) => {
    latest.current = changed;
    setText(changed);
    if (base && changed !== base[field]) keepDraft(draft, changed, base[field]);
    else dropDraft(draft);
  };
  const save = async () => {
    if (!base || isBusy || isStoring) return;
    setBusy(true);
    try {
      const saved = await saveItem(base, { [field]: text });
      tell(words.saved);
      if (latest.current === text) return close();
      // Written while it was being saved.
      keepDraft(draft, latest.current, saved[field]);
      setBase(saved);
      setTheirs(undefined);
    } catch (error) {
      if (error instanceof Overtaken) {
        setTheirs(error.current[field]);
        setBase(error.current);
      } else tellFailure(words.notSaved, error);
    } finally {
      setBusy(false);
    }
  };

  if (!base) {
    const isBegun = draftOf(draft) !== undefined;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the button is for everybody
      <div
        class={may('work-items:write') ? `editable editable-${field}` : 'editable'}
        onDblClick={may('work-items:write') ? open : undefined}
      >
        {children}
        {may('work-items:write') && (
          <button
            ref={button}
            type="button"
            class="button button-quiet button-icon"
            aria-label={editLabel}
            title={editLabel}
            onClick={open}
          >
            <Icon of={editIcon} />
          </button>
        )}
        {isBegun && (
          <button type="button" class="tag tag-warn editable-begun" onClick={open}>
            {words.unsaved}
          </button>
        )}
      </div>
    );
  }
  const isOvertaken = theirs !== undefined;
  return (
    <div class="stack editable-open">
      {isOvertaken && (
        <div class="panel stack editable-conflict" role="alert">
          <p>
            <strong>{words.conflict}</strong>
          </p>
          <div class="field">
            <label for={`${id}-theirs`}>{words.theirs}</label>
            <textarea id={`${id}-theirs`} class="input" readOnly rows={field === 'title' ? 2 : 8} value={theirs} />
          </div>
        </div>
      )}
      <div class="field">
        <label for={id} class={isOvertaken ? undefined : 'unseen'}>
          {isOvertaken ? words.yours : label}
        </label>
        {field === 'title' ? (
          <input
            ref={input}
            id={id}
            class="input editable-title-field"
            maxLength={500}
            value={text}
            onInput={({ currentTarget }) => change(currentTarget.value)}
            onKeyDown={(event) => {
              // Of an input method, which takes back what is being composed.
              if (event.isComposing) return;
              if (event.key === 'Escape') {
                event.stopPropagation();
                close();
              }
              if (event.key !== 'Enter') return;
              event.preventDefault();
              void save();
            }}
          />
        ) : (
          <Editor
            id={id}
            hasFocus
            rows={10}
            maxLength={50_000}
            projectId={item.projectId}
            value={text}
            onChange={change}
            onSubmit={() => void save()}
            onCancel={text === base.description ? close : undefined}
            attach={attach}
          />
        )}
      </div>
      <div class="row">
        <Button
          look="main"
          text={isOvertaken ? words.saveMine : common.save}
          aria-disabled={isBusy || isStoring}
          onClick={() => void save()}
        />
        <Button text={isOvertaken ? words.keepTheirs : common.cancel} onClick={close} />
      </div>
    </div>
  );
}
