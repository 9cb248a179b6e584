import type { IconNode } from 'lucide';
import type { ComponentProps } from 'preact';
import { Icon } from './icon.tsx';

interface Looks {
  /** How they differ is in controls.css. */
  readonly look?: 'main' | 'bad' | 'quiet';
  /** What it says, where that is no more than a text. */
  readonly text?: string;
  /** The key that does the same. */
  readonly keys?: string | undefined;
}

/** Does something when pressed. The button that sends a form is the browser's own. */
export function Button({ look, text, keys, children = text, ...rest }: Looks & ComponentProps<'button'>) {
  return (
    <button type="button" class={look ? `button button-${look}` : 'button'} aria-keyshortcuts={keys} {...rest}>
      {children}
      {keys && ' '}
      {keys && <kbd>{keys}</kbd>}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** One of icons.ts. */
  readonly of: IconNode;
  /** What it does: also said where the mouse rests on it, unless there is another `title`. */
  readonly name: string;
  readonly class?: string;
}

/** The same, without a text. */
export function IconButton({ of, name, class: className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`button button-quiet button-icon ${className}`}
      aria-label={name}
      title={name}
      {...rest}
    >
      <Icon of={of} />
    </button>
  );
}
