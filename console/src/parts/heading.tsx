import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { path } from '../router.ts';

/** How much needs the user (frame.tsx). */
export const needing = signal(0);

/** Where the last screen was shown. None: the page has just been loaded, and placing the focus is up to the browser. */
let lastPath: string | undefined;

/**
 * The heading of a screen: it names the page, and takes the focus when one navigates to the screen, so that a screen reader says where one is: as soon as
 * it is there, for a key that is pressed at once must not go to what had the focus before.
 */
export function Heading({ title, unseen }: { readonly title: string; readonly unseen?: boolean }) {
  const count = needing.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const hasMoved = lastPath !== undefined && lastPath !== path.peek();
    if (hasMoved) heading.current?.focus({ preventScroll: true });
    lastPath = path.peek();
  }, []);
  useLayoutEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · worktrack`;
  }, [title, count]);
  return (
    <h1 ref={heading} tabIndex={-1} class={unseen ? 'unseen' : undefined}>
      {title}
    </h1>
  );
}
