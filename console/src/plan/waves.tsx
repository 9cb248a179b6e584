import { useMemo, useRef, useState } from 'preact/hooks';
import { number } from '../language/format.ts';
import { Button } from '../parts/button.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { STEPS } from '../parts/page/steps.ts';
import type { Column, Layout } from './layout.ts';
import { Lines } from './lines.tsx';
import { words } from './messages.ts';
import type { PlanCosts } from './plan.ts';
import { TaskCard } from './task-card.tsx';

/** Per column; the others are shown on request. What is handed over is there for its lines, so only a few of those are shown. */
const SHOWN: Readonly<Record<Column['kind'], number>> = { handed_over: 4, at_work: 40, wave: 40, blocked: 40 };

interface WavesProps {
  readonly layout: Layout;
  readonly costs: PlanCosts | undefined;
}

/** The waves as columns, with a line from each task to those that wait for it; arrows lead from task to task. */
export function Waves({ layout, costs }: WavesProps) {
  const place = useRef<HTMLDivElement>(null);
  const [long, setLong] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const [pointed, setPointed] = useState<string>();
  const critical = useMemo(() => new Set(layout.criticalPath), [layout]);
  const shownOf = ({ key, kind, tasks }: Column) => (long.has(key) ? tasks : tasks.slice(0, SHOWN[kind]));
  const shown = layout.columns.map((stacked) => stacked.flatMap(shownOf).map(({ taskId }) => taskId));
  const tabStop = shown.flat().includes(focused ?? '') ? focused : shown[0]?.[0];
  useShortcuts([{ keys: '↑ ↓ ← →', label: words.keysFocus }]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const next = neighbour(shown, tabStop, step);
    if (!next) return;
    event.preventDefault();
    place.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(next)}"] a`)?.focus();
  };
  return (
    <section class="plan-scroll" aria-label={words.waves} onKeyDown={onKeyDown}>
      <div ref={place} class="plan-waves">
        <Lines lines={layout.lines} shown={shown.flat()} place={place} lit={pointed ?? focused} />
        {layout.columns.map((stacked) => (
          <div key={stacked[0]?.key} class="plan-column">
            {stacked.map((column) => (
              <section key={column.key} class={`plan-part plan-part-${column.kind}`} aria-label={nameOf(column)}>
                <h2>
                  {nameOf(column)} <span class="quiet">{number(column.tasks.length)}</span>
                </h2>
                <ul class="plain plan-tasks">
                  {shownOf(column).map((task) => (
                    <TaskCard
                      key={task.id}
                      task={task}
                      waitsFor={layout.waitsFor.get(task.taskId)?.join(', ')}
                      cost={costs?.of.get(task.id)}
                      isCritical={critical.has(task.taskId)}
                      isTabStop={task.taskId === tabStop}
                      onFocus={setFocused}
                      onPoint={setPointed}
                    />
                  ))}
                </ul>
                {column.tasks.length > shownOf(column).length && (
                  <Button
                    look="quiet"
                    text={words.all({ n: column.tasks.length })}
                    onClick={() => setLong(new Set([...long, column.key]))}
                  />
                )}
              </section>
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function nameOf({ kind, wave }: Column): string {
  if (kind === 'wave') return wave === 1 ? words.firstWave : words.wave({ n: wave });
  return { handed_over: words.handedOver, at_work: words.atWork, blocked: words.blocked }[kind];
}

/** The task that an arrow leads to: the next in the column, or the one next to it in the next column. */
function neighbour(
  shown: readonly (readonly string[])[],
  from: string | undefined,
  [across, down]: readonly [number, number],
): string | undefined {
  const column = shown.findIndex((ids) => ids.includes(from ?? ''));
  const at = shown[column]?.indexOf(from ?? '') ?? 0;
  if (down !== 0) return shown[column]?.[at + down];
  const beside = shown[column + across];
  return beside?.[Math.min(at, beside.length - 1)];
}
