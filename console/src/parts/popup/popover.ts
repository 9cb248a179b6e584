/** Between a popover and what it belongs to, and the edge of the window. */
const GAP_PX = 4;

/** Shows a popover below what it belongs to, or above it where there is more room. */
export function showAt(shown: HTMLElement, anchor: HTMLElement): void {
  if (!shown.matches(':popover-open')) shown.showPopover();
  const { scrollTop } = shown;
  shown.style.maxHeight = '';
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { width, height } = shown.getBoundingClientRect();
  const fitsBelow = bottom + GAP_PX + height <= innerHeight;
  const isAbove = !fitsBelow && top > innerHeight - bottom;
  // It scrolls rather than cover what it belongs to.
  const roomPx = (isAbove ? top : innerHeight - bottom) - 2 * GAP_PX;
  if (height > roomPx) {
    shown.style.maxHeight = `${roomPx}px`;
    // While it was as high as all of it, nothing of it was scrolled.
    shown.scrollTop = scrollTop;
  }
  shown.style.top = `${isAbove ? top - GAP_PX - Math.min(height, roomPx) : bottom + GAP_PX}px`;
  const isNearEnd = left + width > innerWidth - GAP_PX;
  const start = isNearEnd ? right - width : left;
  // Also when a window is made narrower meanwhile.
  shown.style.left = `max(${GAP_PX}px, min(${start}px, 100vw - ${width + GAP_PX}px))`;
}
