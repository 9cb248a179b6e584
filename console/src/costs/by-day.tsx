import { useState } from 'preact/hooks';
import { dollars, number, roughly, utcDay } from '../language/format.ts';
import { TableHead } from '../parts/table-head.tsx';
import { DayChart } from './chart.tsx';
import { daysOf, type Period } from './days.ts';
import { words } from './messages.ts';
import { costOf, type Group } from './usage.ts';

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

/** What each day cost: as a chart, with a day's details shown by pointing at it or with the arrow keys, and as a table. */
export function ByDay({ period, used }: { readonly period: Period; readonly used: readonly Group[] }) {
  const [at, setAt] = useState<number>();
  const byDay = new Map(used.map((group) => [group.key, group]));
  const days = daysOf(period, [...byDay.keys()]);
  const costs = days.map((day) => costOf(byDay.get(day) ?? { estimatedCost: '0' }));
  const last = days.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const to =
      step === undefined ? { Home: 0, End: last }[event.key] : Math.max(0, Math.min(last, (at ?? last + 1) + step));
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setAt(to);
  };
  const told = at === undefined ? undefined : days[at];
  const said =
    told === undefined ? words.onAverage({ cost: dollars(sum(costs) / days.length) }) : dayWords(told, byDay.get(told));
  return (
    <section class="panel stack" aria-label={words.day}>
      <div class="row costs-head">
        <h2>{words.day}</h2>
        <span class="quiet">{said}</span>
      </div>
      <div
        class="costs-days"
        role="slider"
        tabIndex={0}
        aria-label={words.day}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={(at ?? last) + 1}
        aria-valuetext={said}
        onKeyDown={onKeyDown}
      >
        <DayChart days={days} costs={costs} at={at} onAt={setAt} />
      </div>
      <details>
        <summary>{words.asTable}</summary>
        <table class="table">
          <TableHead names={[words.dayColumn, words.cost, words.tokens, words.sessions]} numbers={[1, 2, 3]} />
          <tbody>
            {used.toReversed().map((group) => (
              <tr key={group.key}>
                <th scope="row">{utcDay(group.key)}</th>
                <td class="number">{dollars(costOf(group))}</td>
                <td class="number">{roughly(group.totalTokens)}</td>
                <td class="number">{number(group.sessions)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function dayWords(day: string, group: Group | undefined): string {
  const on = utcDay(day);
  if (!group) return words.nothingOn({ day: on });
  return words.on({ day: on, cost: dollars(costOf(group)), tokens: roughly(group.totalTokens), n: group.sessions });
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
