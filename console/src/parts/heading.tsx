import { useEffect, useRef } from 'preact/hooks';
import { path } from '../router.ts';

/** Where the last screen was shown. None: the page has just been loaded, and its focus is the browser's to place. */
let lastPath: string | undefined;

/** The heading of a screen: it names the page, and takes the focus when the screen is gone to, so that a screen reader says where one is. */
export function Heading({ title, unseen }: { readonly title: string; readonly unseen?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const hasMoved = lastPath !== undefined && lastPath !== path.peek();
    if (hasMoved) heading.current?.focus({ preventScroll: true });
    lastPath = path.peek();
  }, []);
  useEffect(() => {
    document.title = `${title} · worktrack`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1} class={unseen ? 'unseen' : undefined}>
      {title}
    </h1>
  );
}
