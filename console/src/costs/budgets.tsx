import type { Budget } from '@worktrack/contracts/work-items/costs/budget';
import { useState } from 'preact/hooks';
import { dollars, percent } from '../language/format.ts';
import { to } from '../router.ts';
import { words } from './messages.ts';
import { useTitles } from './usage.ts';

const SHOWN = 6;
/** From here on it deserves attention. */
const NEARLY = 0.8;
const OF_PROJECT = 'project';

/** What may be spent, and has been: those nearest to their limit first. */
export function Budgets({ budgets }: { readonly budgets: readonly Budget[] }) {
  const [isLong, setLong] = useState(false);
  const sorted = budgets.toSorted((one, other) => partOf(other) - partOf(one));
  const shown = isLong ? sorted : sorted.slice(0, SHOWN);
  const titles = useTitles(shown.flatMap(({ of }) => (of === OF_PROJECT ? [] : [of])));
  return (
    <section class="panel stack" aria-label={words.budgets}>
      <h2>{words.budgets}</h2>
      {budgets.length === 0 ? (
        <p class="quiet">{words.noBudget}</p>
      ) : (
        <ul class="plain costs-budgets">
          {shown.map((budget) => (
            <BudgetView key={budget.of} budget={budget} title={titles.get(budget.of)} />
          ))}
        </ul>
      )}
      {sorted.length > SHOWN && (
        <button type="button" class="button button-quiet" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? words.fewer : words.all({ n: sorted.length })}
        </button>
      )}
    </section>
  );
}

function BudgetView({ budget, title }: { readonly budget: Budget; readonly title: string | undefined }) {
  const { of, period, spentUsd, limitUsd, remainingUsd, spent } = budget;
  const part = partOf(budget);
  const tone = part >= 1 ? 'bad' : part >= NEARLY ? 'warn' : undefined;
  return (
    <li class={tone && `costs-${tone}`}>
      <div class="row costs-head">
        <span class="costs-name">
          {of === OF_PROJECT ? (
            words.project
          ) : (
            <>
              <a href={to(`items/${of}`)}>{of}</a> {title}
            </>
          )}
        </span>
        <span class="tag">{period === 'day' ? words.daily : words[period]}</span>
        {tone && <span class={`tag tag-${tone}`}>{part >= 1 ? words.usedUp : percent(part)}</span>}
      </div>
      <progress class="meter" max={1} value={Math.min(1, part)} aria-label={words.spentOf({ what: title ?? of })} />
      <p class="quiet">
        {words.spent({ spent: dollars(spentUsd), limit: dollars(limitUsd), left: dollars(remainingUsd) })}
      </p>
      {spent.inFlightUsd > 0 && (
        <p class="quiet">
          {words.inFlight({ recorded: dollars(spent.recordedUsd), inFlight: dollars(spent.inFlightUsd) })}
        </p>
      )}
    </li>
  );
}

/** How much of it is spent; a budget of zero is used up from the start. */
const partOf = ({ spentUsd, limitUsd }: Budget) => (limitUsd > 0 ? spentUsd / limitUsd : 1);
