import { useEffect, useRef } from 'preact/hooks';

/** The `ref` of a navigation that scrolls on narrow screens: its current entry is in view, also once the screen has become one. */
export function useCurrentInView(current: string | undefined) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current: shown } = nav;
    if (!shown) return;
    const resized = new ResizeObserver(() => {
      const entry = shown.querySelector('[aria-current]')?.getBoundingClientRect();
      const { left, right } = shown.getBoundingClientRect();
      // Sideways only: whoever turns a phone keeps the place in the page.
      if (entry) shown.scrollLeft += Math.max(0, entry.right - right) + Math.min(0, entry.left - left);
    });
    resized.observe(shown);
    return () => resized.disconnect();
  }, [current]);
  return nav;
}
