import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { dollars, shortUtcDay } from '../language/format.ts';
import { locale } from '../language/language.ts';
import { theme } from '../theme.ts';
import { DAY_MS, dateOf } from './days.ts';

const HEIGHT_PX = 240;
/** As the page (styles/tokens.css), which has loaded it by then. */
const FONT = '12px Inter, system-ui, sans-serif';
/** The width of an axis label: about this much per character of FONT. */
const LETTER_PX = 7;
const LABEL_PADDING_PX = 16;
const DAYS_HEIGHT_PX = 30;
/** Between labels of days. */
const DAY_LABEL_PX = 72;
/** Days between two labels. */
const STEPS = [1, 2, 7, 14, 28, 56, 91, 182, 364, 728];
/** Of the width available to a day. */
const BAR = 0.72;
const MAX_BAR_PX = 40;

interface DayChartProps {
  readonly days: readonly string[];
  readonly costs: readonly number[];
  /** The day whose details are shown, if any. */
  readonly at: number | undefined;
  readonly onAt: (at: number | undefined) => void;
}

/** A bar for each day. What it says is in the text next to it and in the table, so it is hidden from screen readers. */
export function DayChart({ days, costs, at, onAt }: DayChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const told = useRef(onAt);
  told.current = onAt;
  const language = locale.value;
  const scheme = theme.value;

  // Redrawn with each answer, language and theme: widths, labels and colours depend on them, and it takes a few milliseconds.
  useEffect(() => {
    const place = element.current;
    if (!place) return;
    const data: uPlot.AlignedData = [days.map((day) => Date.parse(day) / DAY_MS), [...costs]];
    const drawn = new uPlot(
      optionsFor(place, (index) => told.current(index)),
      data,
      place,
    );
    chart.current = drawn;
    const resized = new ResizeObserver(() => drawn.setSize({ width: place.clientWidth, height: HEIGHT_PX }));
    resized.observe(place);
    const ofSystem = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => drawn.redraw();
    ofSystem.addEventListener('change', redraw);
    return () => {
      ofSystem.removeEventListener('change', redraw);
      resized.disconnect();
      drawn.destroy();
    };
  }, [days.join(), costs.join(), language, scheme]);

  useEffect(() => {
    const day = at === undefined ? undefined : days[at];
    const drawn = chart.current;
    if (!drawn || drawn.cursor.idx === (at ?? null)) return;
    const left = day === undefined ? -1 : drawn.valToPos(Date.parse(day) / DAY_MS, 'x');
    drawn.setCursor({ left, top: left < 0 ? -1 : 0 }, false);
  }, [at]);

  return <div ref={element} class="costs-chart" aria-hidden="true" />;
}

function optionsFor(place: HTMLElement, onAt: (at: number | undefined) => void): uPlot.Options {
  // The theme's current colours: a canvas does not follow it automatically.
  const ink = (property: 'color' | 'borderTopColor' | 'accentColor') => () => getComputedStyle(place)[property];
  return {
    width: place.clientWidth,
    height: HEIGHT_PX,
    // The label of the last day is wider than its bar.
    padding: [LETTER_PX, 3 * LETTER_PX, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      // Half a day more on both sides, for the bars of the first and last day.
      x: { time: false, range: ({ data: [days] }) => [(days[0] ?? 0) - 0.5, (days.at(-1) ?? 0) + 0.5] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        font: FONT,
        stroke: ink('color'),
        size: DAYS_HEIGHT_PX,
        space: DAY_LABEL_PX,
        incrs: STEPS,
        grid: { show: false },
        ticks: { stroke: ink('borderTopColor'), size: 4 },
        values: (_, days) => days.map((day) => shortUtcDay(dateOf(day * DAY_MS))),
      },
      {
        font: FONT,
        stroke: ink('color'),
        grid: { stroke: ink('borderTopColor'), width: 1 },
        ticks: { show: false },
        values: (_, amounts) => amounts.map(dollars),
        size: (_, labels) => Math.max(0, ...(labels ?? []).map(({ length }) => length)) * LETTER_PX + LABEL_PADDING_PX,
      },
    ],
    series: [
      {},
      {
        fill: ink('accentColor'),
        width: 0,
        points: { show: false },
        ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [BAR, MAX_BAR_PX], radius: 0.1 }) }),
      },
    ],
    hooks: { setCursor: [({ cursor }) => onAt(cursor.idx ?? undefined)] },
  };
}
