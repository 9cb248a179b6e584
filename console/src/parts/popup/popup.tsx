import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { showAt } from './popover.ts';

interface PopupProps {
  /** What a screen reader calls the button and what it opens. */
  readonly label: string;
  /** What the button shows. */
  readonly button: ComponentChildren;
  readonly class?: string;
  /** Is open as soon as it is there. */
  readonly opensAtOnce?: boolean;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** A button that opens a few controls beside it, which stay until one presses Escape or elsewhere: for what is not one choice, as in a menu. */
export function Popup({
  label,
  button,
  class: className = 'button',
  opensAtOnce = false,
  onClose,
  children,
}: PopupProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(opensAtOnce);
  const id = useId();
  useLayoutEffect(() => {
    if (!isOpen || !panel.current || !anchor.current) return;
    showAt(panel.current, anchor.current);
    panel.current.querySelector<HTMLElement>('input, button')?.focus();
  }, [isOpen]);
  return (
    <>
      <button
        ref={anchor}
        type="button"
        class={className}
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div
          ref={panel}
          id={id}
          class="popup"
          popover="auto"
          role="dialog"
          aria-label={label}
          onToggle={(event) => {
            if (event.newState !== 'closed') return;
            setOpen(false);
            onClose?.();
          }}
          onKeyDown={(event) => {
            // Keys mean nothing to what is below.
            event.stopPropagation();
            if (event.key !== 'Escape') return;
            event.preventDefault();
            panel.current?.hidePopover();
            anchor.current?.focus();
          }}
        >
          {children}
        </div>
      )}
    </>
  );
}
