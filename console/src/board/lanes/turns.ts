import { useEffect, useState } from 'preact/hooks';

/** More take longer than a frame. */
const CARDS_PER_FRAME = 8;

interface Waiting {
  readonly element: () => Element | null;
  readonly count: number;
}

/** Those that wait to draw their cards, by what begins them, in order. */
const waiting = new Map<() => void, Waiting>();

function frame(): void {
  let left = CARDS_PER_FRAME;
  const all = [...waiting].map(([begin, { element, count }]) => ({ begin, count, isInView: isInView(element()) }));
  // Of a lane, most columns may be beside the window, and of those that scroll by, most are gone when their turn comes.
  for (const { begin, count } of all.sort((a, b) => Number(b.isInView) - Number(a.isInView))) {
    left -= count;
    if (left < 0) break;
    waiting.delete(begin);
    begin();
  }
  if (waiting.size > 0) requestAnimationFrame(frame);
}

function isInView(element: Element | null): boolean {
  if (!element) return false;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
}

/**
 * Lets the cells of all lanes begin a few cards per frame, those in view first. Lanes come into view while the board scrolls, and all cells of one or several
 * lanes are read at once.
 * @param total how many cards the cell has, of which it draws those that are in view. Undefined: it is not known yet
 */
export function useTurn(element: () => Element | null, total: number | undefined): boolean {
  const [isBegun, setBegun] = useState(false);
  const isWaiting = total !== undefined && !isBegun;
  useEffect(() => {
    if (!isWaiting) return;
    const begin = () => setBegun(true);
    if (waiting.size === 0) requestAnimationFrame(frame);
    waiting.set(begin, { element, count: Math.min(total, CARDS_PER_FRAME) });
    return () => void waiting.delete(begin);
  }, [isWaiting]);
  return isBegun;
}
