import { useEffect, useState } from 'preact/hooks';

/** More take longer than a frame. */
const CARDS_PER_FRAME = 8;

/** Those that wait to draw this many cards, in order. */
const waiting = new Map<() => void, number>();

function frame(): void {
  let left = CARDS_PER_FRAME;
  for (const [begin, count] of waiting) {
    left -= count;
    if (left < 0) break;
    waiting.delete(begin);
    begin();
  }
  if (waiting.size > 0) requestAnimationFrame(frame);
}

/**
 * Lets the cells of all lanes begin one after the other, a few cards a frame: lanes come into view in the middle of scrolling, and all cells of one, or of several, are read at once.
 * @param total how many cards it has, of which it draws those that are in view. Undefined: it is not known yet
 */
export function useTurn(total: number | undefined): boolean {
  const [isBegun, setBegun] = useState(false);
  const isWaiting = total !== undefined && !isBegun;
  useEffect(() => {
    if (!isWaiting) return;
    const begin = () => setBegun(true);
    if (waiting.size === 0) requestAnimationFrame(frame);
    waiting.set(begin, Math.min(total, CARDS_PER_FRAME));
    return () => void waiting.delete(begin);
  }, [isWaiting]);
  return isBegun;
}
