import type { Budget } from '@worktrack/contracts/work-items/costs/budget';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { dollars, percent } from '../language/format.ts';
import { attempt } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { moreIcon } from '../parts/icons.ts';
import { words as common } from '../parts/messages.ts';
import { Menu } from '../parts/popup/menu.tsx';
import { to } from '../router.ts';
import { leads, may } from '../session.ts';
import { BudgetForm, OF_PROJECT, PERIOD_WORDS, setBudget } from './budget-form.tsx';
import { words } from './messages.ts';
import { useTitles } from './usage.ts';

const SHOWN = 6;
/** From here on it deserves attention. */
const NEARLY = 0.8;

interface BudgetsProps {
  readonly projectId: string;
  readonly budgets: readonly Budget[];
}

/** What may be spent, and has been: those nearest to their limit first. Owners and admins set them. */
export function Budgets({ projectId, budgets }: BudgetsProps) {
  const [isLong, setLong] = useState(false);
  const [edited, setEdited] = useState<Budget | 'new'>();
  const mayWrite = may('work-items:write') && leads.value;
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
            <BudgetView key={budget.of} budget={budget} title={titles.get(budget.of)}>
              {mayWrite && (
                <Menu
                  label={words.moreOf({ what: nameOf(budget) })}
                  items={[
                    { label: common.edit, run: () => setEdited(budget) },
                    {
                      label: words.removeBudget,
                      isBad: true,
                      run: () => void attempt(words.budgetNotSet, () => setBudget(projectId, budget.of, null, budget)),
                    },
                  ]}
                >
                  <Icon of={moreIcon} />
                </Menu>
              )}
            </BudgetView>
          ))}
        </ul>
      )}
      {mayWrite && (
        <div>
          <Button text={words.setBudget} onClick={() => setEdited('new')} />
        </div>
      )}
      {edited && (
        <BudgetForm
          projectId={projectId}
          budgets={budgets}
          budget={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {sorted.length > SHOWN && (
        <Button
          look="quiet"
          text={isLong ? words.fewer : words.all({ n: sorted.length })}
          aria-expanded={isLong}
          onClick={() => setLong(!isLong)}
        />
      )}
    </section>
  );
}

const nameOf = ({ of }: Budget) => (of === OF_PROJECT ? words.project : of);

interface BudgetViewProps {
  readonly budget: Budget;
  readonly title: string | undefined;
  /** What can be done with it. */
  readonly children: ComponentChildren;
}

function BudgetView({ budget, title, children }: BudgetViewProps) {
  const { of, period, spentUsd, limitUsd, remainingUsd, spent } = budget;
  const part = partOf(budget);
  const tone = part >= 1 ? 'bad' : part >= NEARLY ? 'warn' : undefined;
  return (
    <li>
      <div class="row costs-head">
        <span class="costs-name">
          {of === OF_PROJECT ? (
            words.project
          ) : (
            <>
              <a href={to(`items/${of}`)}>{of}</a> <bdi>{title}</bdi>
            </>
          )}
        </span>
        <span class="tag">{PERIOD_WORDS[period]()}</span>
        {tone && <span class={`tag tag-${tone}`}>{part >= 1 ? common.usedUp : percent(part)}</span>}
        {children}
      </div>
      <progress
        class={tone ? `meter meter-${tone}` : 'meter'}
        max={1}
        value={Math.min(1, part)}
        aria-label={words.spentOf({ what: title ?? of })}
      />
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
