import './band.css';
import { may } from '../../session.ts';
import { selected, selectThese } from './selection.ts';

// Of its own: libraries for it position everything themselves, or bring a selection of their own beside the one that keys make.

/** From how far on a press is meant as a drag. */
const MIN_DRAG_PX = 4;
const CONTROLS = 'a, button, input, select, textarea, [popover], [role=columnheader]';

interface Band {
  /** What shows an item; `idOf` says which. */
  readonly items: string;
  idOf(item: HTMLElement): string | undefined;
  /** Whether a drag with Shift may begin at an item; where items themselves are dragged, it may not. */
  readonly beginsAtItems: boolean;
}

/** Drawn with the mouse from where nothing is: selects the items that it touches, with Shift besides those that are selected. @returns ends it */
export function selectByDrag(area: HTMLElement, { items, idOf, beginsAtItems }: Band): () => void {
  let end: (() => void) | undefined;

  const begin = (down: MouseEvent) => {
    const { target, shiftKey, clientX, clientY } = down;
    if (down.button !== 0 || down.defaultPrevented || !(target instanceof HTMLElement) || !may('work-items:write'))
      return;
    if (isOnScrollbar(down, target) || target.closest(CONTROLS)) return;
    if (target.closest(items) && !(beginsAtItems && shiftKey)) return;
    const before = shiftKey ? [...selected.value] : [];
    let band: HTMLElement | undefined;
    const draw = (move: MouseEvent) => {
      const [left, right] = [clientX, move.clientX].sort((a, b) => a - b) as [number, number];
      const [top, bottom] = [clientY, move.clientY].sort((a, b) => a - b) as [number, number];
      if (!band && Math.max(right - left, bottom - top) < MIN_DRAG_PX) return;
      band ??= document.body.appendChild(Object.assign(document.createElement('div'), { className: 'band' }));
      Object.assign(band.style, {
        ...{ left: `${left}px`, top: `${top}px` },
        ...{ width: `${right - left}px`, height: `${bottom - top}px` },
      });
      const touched = [...area.querySelectorAll<HTMLElement>(items)].filter((item) => {
        const box = item.getBoundingClientRect();
        return box.left <= right && box.right >= left && box.top <= bottom && box.bottom >= top;
      });
      selectThese([...before, ...touched.flatMap((item) => idOf(item) ?? [])]);
    };
    end = () => {
      removeEventListener('mousemove', draw);
      removeEventListener('mouseup', up);
      removeEventListener('selectstart', selectNoText);
      band?.remove();
      end = undefined;
    };
    const up = () => {
      if (band) ignoreClick();
      end?.();
    };
    addEventListener('mousemove', draw);
    addEventListener('mouseup', up);
    // Not the press itself, which takes the focus from a field that saves what was written when it loses it.
    addEventListener('selectstart', selectNoText);
  };

  area.addEventListener('mousedown', begin);
  return () => {
    area.removeEventListener('mousedown', begin);
    end?.();
  };
}

const selectNoText = (event: Event) => event.preventDefault();

function isOnScrollbar({ offsetX, offsetY }: MouseEvent, target: HTMLElement): boolean {
  return offsetX > target.clientWidth || offsetY > target.clientHeight;
}

/** The one that follows the end of a drag, if one does. */
function ignoreClick(): void {
  const stop = (event: Event) => event.stopPropagation();
  addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', stop, { capture: true }));
}
