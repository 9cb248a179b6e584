import type { ComponentProps } from 'preact';

interface Looks {
  /** How they differ is in controls.css. */
  readonly look?: 'main' | 'bad' | 'quiet';
  /** What it says, where that is no more than a text. */
  readonly text?: string;
}

/** Does something when pressed. The button that sends a form is the browser's own. */
export function Button({ look, text, children = text, ...rest }: Looks & ComponentProps<'button'>) {
  return (
    <button type="button" class={look ? `button button-${look}` : 'button'} {...rest}>
      {children}
    </button>
  );
}
