import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Line } from './layout.ts';

/** How far a line bends out before it turns, at least. */
const BEND_PX = 28;
const DOT_PX = 3;
/** Below a card that a line has to pass, where the next one does not begin yet. */
const BELOW_PX = 4;

interface LinesProps {
  readonly lines: readonly Line[];
  /** The tasks that are shown. */
  readonly shown: readonly string[];
  /** The element that contains them. */
  readonly place: RefObject<HTMLElement | null>;
  /** The task whose lines are highlighted. */
  readonly lit: string | undefined;
}

interface Drawn extends Line {
  readonly path: string;
  readonly x: number;
  readonly y: number;
}

/** A line from each task to those that depend on it, behind the cards. The cards say the same in words. */
export function Lines({ lines, shown, place, lit }: LinesProps) {
  const [drawn, setDrawn] = useState<readonly Drawn[]>([]);
  useLayoutEffect(() => {
    const inside = place.current;
    if (!inside) return;
    const draw = () => setDrawn((before) => changed(before, drawnIn(inside, lines)));
    draw();
    // Cards grow and shrink with what they show.
    const resized = new ResizeObserver(draw);
    for (const element of [inside, ...inside.querySelectorAll('[data-task]')]) resized.observe(element);
    return () => resized.disconnect();
  }, [lines, shown.join(), place]);
  const isLit = (line: Line) => line.from === lit || line.to === lit;
  const hasLit = drawn.some(isLit);
  return (
    <svg class="plan-lines" aria-hidden="true">
      {drawn.map((line) => (
        <g
          key={`${line.from} ${line.to}`}
          class={`plan-line plan-line-${line.kind} ${hasLit && !isLit(line) ? 'plan-line-dim' : ''}`}
        >
          <path d={line.path} />
          <circle cx={line.x} cy={line.y} r={DOT_PX} />
        </g>
      ))}
    </svg>
  );
}

/** The same object if nothing has moved, so that rendering comes to an end. */
function changed(before: readonly Drawn[], after: readonly Drawn[]): readonly Drawn[] {
  const isSame =
    before.length === after.length &&
    before.every(({ path, kind }, at) => path === after[at]?.path && kind === after[at]?.kind);
  return isSame ? before : after;
}

/** Those between visible cards. Met ones come first, so that they lie below the others. */
function drawnIn(inside: HTMLElement, lines: readonly Line[]): readonly Drawn[] {
  const cards = new Map<string, HTMLElement>();
  for (const card of inside.querySelectorAll<HTMLElement>('[data-task]')) cards.set(card.dataset.task ?? '', card);
  const ORDER: readonly Line['kind'][] = ['met', 'open', 'cycle', 'critical'];
  return lines
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
    .flatMap((line) => {
      const [from, to] = [cards.get(line.from), cards.get(line.to)];
      return from && to ? [{ ...line, ...curve(from, to, [...cards.values()]) }] : [];
    });
}

/** @param cards all of them: it leads below those of the columns that it passes */
function curve(
  from: HTMLElement,
  to: HTMLElement,
  cards: readonly HTMLElement[],
): { path: string; x: number; y: number } {
  const x1 = from.offsetLeft + from.offsetWidth;
  const y1 = from.offsetTop + from.offsetHeight / 2;
  const isBeside = to.offsetLeft >= x1;
  const right = to.offsetLeft + to.offsetWidth;
  // Handed over before what it depends on: the same way back.
  if (right <= from.offsetLeft) return { ...curve(to, from, cards), x: right, y: to.offsetTop + to.offsetHeight / 2 };
  // In the same column, from right edge to right edge.
  const x = isBeside ? to.offsetLeft : right;
  const y = to.offsetTop + to.offsetHeight / 2;
  const passed = cards.filter(({ offsetLeft, offsetWidth }) => offsetLeft >= x1 && offsetLeft + offsetWidth < x);
  let path = `M${x1} ${y1}`;
  let [atX, atY] = [x1, y1];
  for (const [left, column] of Map.groupBy(passed, ({ offsetLeft }) => offsetLeft)) {
    const wanted = atY + ((y - atY) * (left - atX)) / (x - atX);
    const ways = column.map(({ offsetTop, offsetHeight }) => offsetTop + offsetHeight + BELOW_PX);
    const way = ways.reduce((best, each) => (Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best));
    const end = left + (column[0]?.offsetWidth ?? 0);
    const bend = (left - atX) / 2;
    path += `C${atX + bend} ${atY} ${left - bend} ${way} ${left} ${way}H${end}`;
    [atX, atY] = [end, way];
  }
  const bend = Math.max(BEND_PX, (x - atX) / 2);
  return { path: `${path}C${atX + bend} ${atY} ${isBeside ? x - bend : x + bend} ${y} ${x} ${y}`, x, y };
}
