import { useEffect, useRef } from 'preact/hooks';

/** Whether a screen was shown before: the focus of a page that has just been loaded is the browser's to place. */
let isLater = false;

/** The heading of a screen: it names the page, and takes the focus when the screen is gone to, so that a screen reader says where one is. */
export function Heading({ title, unseen }: { readonly title: string; readonly unseen?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isLater) heading.current?.focus({ preventScroll: true });
    isLater = true;
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
