import type { Budget } from '@worktrack/contracts/work-items/costs/budget';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useMemo } from 'preact/hooks';
import { isGone } from '../api/service-error.ts';
import { words as ofCards } from '../board/messages.ts';
import { mayCreate, openCreate, usePlace } from '../create/open.ts';
import { dollars, number } from '../language/format.ts';
import { Button } from '../parts/button.tsx';
import { Fact } from '../parts/fact.tsx';
import { useItem } from '../parts/item/item.ts';
import { itemWords } from '../parts/item/item-words.ts';
import { words as common } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { to } from '../router.ts';
import { type Column, type ImplementContext, type Layout, layOut } from './layout.ts';
import { words } from './messages.ts';
import { type PlanCosts, useCosts, usePlan } from './plan.ts';
import { Waves } from './waves.tsx';

export function PlanOf({ id }: { readonly id: string }) {
  const item = useItem(id);
  if (isGone(item.error)) {
    return (
      <div class="screen">
        <Heading title={common.gone({ id })} />
      </div>
    );
  }
  return <Loaded query={item}>{(found) => <Plan key={found.id} item={found} />}</Loaded>;
}

function Plan({ item }: { readonly item: WorkItem }) {
  usePlace({ projectId: item.projectId, boardId: item.boardId, parent: item.taskId });
  const plan = usePlan(item);
  const costs = useCosts(item);
  return (
    <div class="screen plan">
      <header>
        <p class="row quiet">
          <a href={to('plan', { project: item.projectId })}>{words.title}</a> / {item.taskId} · {itemWords[item.type]}
          <a href={to(`items/${item.taskId}`)}>{words.openItem}</a>
        </p>
        <Heading title={item.title} />
      </header>
      <Loaded query={plan}>
        {(context) =>
          context.tasks.length === 0 ? (
            <Empty>
              <p>{words.noTasks}</p>
              <p>{words.noTasksHelp}</p>
              {mayCreate() && <Button text={common.newItem} keys="c" onClick={() => openCreate()} />}
            </Empty>
          ) : (
            <Found context={context} costs={costs.data} />
          )
        }
      </Loaded>
    </div>
  );
}

interface FoundProps {
  readonly context: ImplementContext;
  readonly costs: PlanCosts | undefined;
}

function Found({ context, costs }: FoundProps) {
  const layout = useMemo(() => layOut(context), [context]);
  return (
    <>
      <Facts context={context} layout={layout} costs={costs} />
      <Untangle layout={layout} />
      <Waves layout={layout} costs={costs} />
    </>
  );
}

/** How far along it is, and what that has taken. */
function Facts({ context: { tasks, budget }, layout, costs }: FoundProps & { readonly layout: Layout }) {
  const count = (isCounted: (column: Column) => boolean) =>
    layout.columns.flat().reduce((sum, column) => sum + (isCounted(column) ? column.tasks.length : 0), 0);
  const handedOver = count(({ kind }) => kind === 'handed_over');
  const blocked = count(({ kind }) => kind === 'blocked');
  return (
    <dl class="plan-facts">
      <Fact name={words.handedOver}>
        {words.of({ n: handedOver, all: tasks.length })}
        <progress class="meter" max={tasks.length} value={handedOver} aria-label={words.handedOver} />
      </Fact>
      <Fact name={words.atWork}>{number(count(({ kind }) => kind === 'at_work'))}</Fact>
      <Fact name={words.ready}>{number(count(({ wave }) => wave === 1))}</Fact>
      <Fact name={words.waiting}>{number(count(({ kind, wave }) => kind === 'wave' && wave > 1))}</Fact>
      {blocked > 0 && <Fact name={words.blocked}>{number(blocked)}</Fact>}
      {costs && <Fact name={ofCards.costSoFar}>{dollars(costs.total)}</Fact>}
      {budget && <BudgetFact budget={budget} />}
    </dl>
  );
}

/** Of the budgets that apply, the one with the least left. */
function BudgetFact({ budget: { of, spentUsd, limitUsd } }: { readonly budget: Budget }) {
  const name = of === 'project' ? words.budgetOfProject : words.budgetOf({ item: of });
  const isUsedUp = spentUsd >= limitUsd;
  return (
    <Fact name={name}>
      {words.spent({ spent: dollars(spentUsd), limit: dollars(limitUsd) })}{' '}
      {isUsedUp && <span class="tag tag-bad">{common.usedUp}</span>}
      <progress
        class={isUsedUp ? 'meter meter-bad' : 'meter'}
        max={limitUsd || 1}
        value={isUsedUp ? limitUsd || 1 : spentUsd}
        aria-label={name}
      />
    </Fact>
  );
}

/** What the lines say, in words: the chain alongside which everything else can be done, and what has to be untangled before it can start. */
function Untangle({ layout: { criticalPath, cycles } }: { readonly layout: Layout }) {
  return (
    <>
      {cycles.map((members) => (
        <div key={members.join()} class="plan-cycle" role="alert">
          <strong>{words.cycle}</strong> <TaskLinks ids={members} separator=" ⇄ " />{' '}
          {members.length > 1 ? words.cycleHelp : words.selfCycleHelp}
        </div>
      ))}
      {criticalPath.length > 0 && (
        <p class="plan-critical">
          <strong>{words.criticalPath({ n: criticalPath.length })}</strong>{' '}
          <TaskLinks ids={criticalPath} separator=" → " />
        </p>
      )}
    </>
  );
}

function TaskLinks({ ids, separator }: { readonly ids: readonly string[]; readonly separator: string }) {
  return (
    <>
      {ids.map((id, at) => (
        <span key={id}>
          {at > 0 && separator}
          <a href={to(`items/${id}`)}>{id}</a>
        </span>
      ))}
    </>
  );
}
