import { useEffect, useRef } from 'preact/hooks';

/** The `ref` of a navigation that scrolls on narrow screens: its current entry is in view. */
export function useCurrentInView(current: string | undefined) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return nav;
}
