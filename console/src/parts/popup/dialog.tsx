import './dialog.css';
import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button, IconButton } from '../button.tsx';
import { closeIcon } from '../icons.ts';
import { words } from '../messages.ts';

/** What can be filled in or pressed below the head. */
const FIRST = ':is(.dialog-head ~ *, .dialog-head ~ * *):is(input, select, textarea, button, a[href]):not(:disabled)';

interface DialogProps {
  readonly title: string;
  /**
   * On Escape, the × and, unless its form has been begun, a press outside it; the focus returns to where it was before. Absent: only what is inside closes it,
   * as it shows what is shown once.
   */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** What it finds changes its height, and not where one types. */
  readonly atTop?: boolean;
}

/** A modal dialog, for as long as it is rendered. The browser keeps the focus inside. */
export function Dialog({ title, onClose, children, wide, atTop }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isBegun = useRef(false);
  // At once: what is typed right after the key that opens it belongs inside.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The browser begins with ×.
    if (!shown?.querySelector('[autofocus]')) shown?.querySelector<HTMLElement>(FIRST)?.focus();
    // The browser gives the focus back.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${wide ? 'dialog-wide' : ''} ${atTop ? 'dialog-at-top' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={(event) => {
        // The second Escape in a row closes it without asking.
        if (!onClose && event.key === 'Escape') event.preventDefault();
      }}
      onInput={({ target }) => {
        isBegun.current ||= (target as Element).closest('form') !== null;
      }}
      onMouseDown={(event) => isOutside(event) && !isBegun.current && onClose?.()}
    >
      <div class="dialog-inside">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {onClose && <IconButton of={closeIcon} name={words.close} title={undefined} onClick={onClose} />}
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Behind it: its own scroll bar is part of it, too. */
function isOutside({ target, currentTarget, clientX, clientY }: TargetedMouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

/** A form, from wherever one types in it: in a text of several lines, Enter alone begins the next. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const form = event.target instanceof Element ? event.target.closest('dialog, form') : null;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  form.requestSubmit();
});

interface FormActionsProps {
  /** What the form does, on its button. */
  readonly action: string;
  /** Nothing brings back what it takes away. */
  readonly isBad?: boolean;
  /** It is complete, and not being sent. */
  readonly isReady: boolean;
  readonly onClose: () => void;
}

/** The end of a form in a dialog. */
export function FormActions({ action, isBad, isReady, onClose }: FormActionsProps) {
  return (
    <div class="row dialog-actions">
      <Button text={words.cancel} onClick={onClose} />
      <button type="submit" class={`button button-${isBad ? 'bad' : 'main'}`} aria-disabled={!isReady}>
        {action}
      </button>
    </div>
  );
}

/** The end of a dialog that only shows something. */
export function DoneAction({ onClose }: Pick<FormActionsProps, 'onClose'>) {
  return (
    <div class="row dialog-actions">
      <Button look="main" text={words.done} onClick={onClose} />
    </div>
  );
}

/** Asks for confirmation before anything that cannot be undone. */
export function Confirm({
  title,
  text,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="row dialog-actions">
        <Button text={words.cancel} onClick={onClose} />
        <Button
          look="bad"
          text={action}
          onClick={() => {
            onConfirm();
            onClose();
          }}
        />
      </div>
    </Dialog>
  );
}
