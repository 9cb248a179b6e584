import { effect, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { path } from '../../router.ts';

/** How much needs the user (frame.tsx). */
export const needing = signal(0);

const titles = signal<readonly { readonly title: string }[]>([]);

effect(() => {
  const shown = titles.value.at(-1);
  if (shown) document.title = `${needing.value > 0 ? `(${needing.value}) ` : ''}${shown.title} · worktrack`;
});

/** Names the page while the component is mounted: the last one that does. */
export function usePageTitle(title: string): void {
  useLayoutEffect(() => {
    const own = { title };
    titles.value = [...titles.peek(), own];
    return () => {
      titles.value = titles.peek().filter((each) => each !== own);
    };
  }, [title]);
}

/** Where the last screen was shown. None: the page has just been loaded, and placing the focus is up to the browser. */
let lastPath: string | undefined;

/**
 * The heading of a screen, which names the page. On navigation to the screen it takes the focus, so that a screen reader says where the user is. It does so as
 * soon as it exists: a key pressed at once must not reach the previous focus.
 */
export function Heading({ title, unseen }: { readonly title: string; readonly unseen?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const hasMoved = lastPath !== undefined && lastPath !== path.peek();
    if (hasMoved) heading.current?.focus({ preventScroll: true });
    lastPath = path.peek();
  }, []);
  usePageTitle(title);
  return (
    <h1 ref={heading} tabIndex={-1} class={unseen ? 'unseen' : undefined}>
      {title}
    </h1>
  );
}
