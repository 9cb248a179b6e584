import './costs.css';
import { dollars, duration, number, roughly } from '../language/format.ts';
import { Fact } from '../parts/fact.tsx';
import { DateField } from '../parts/form/date-field.tsx';
import { Select } from '../parts/form/select.tsx';
import { Heading } from '../parts/page/heading.tsx';
import { Empty, Loaded } from '../parts/page/states.tsx';
import { chosenProject, useProjects } from '../parts/project.ts';
import { setFilters } from '../router.ts';
import { NoProject } from '../start/no-project.tsx';
import { Budgets } from './budgets.tsx';
import { ByDay } from './by-day.tsx';
import type { Period } from './days.ts';
import { ByGroup } from './groups.tsx';
import { words } from './messages.ts';
import { PERIODS, type PeriodName, periodOfAddress } from './period.ts';
import { type Costs, costOf, useCosts } from './usage.ts';

const GROUPS = ['epic', 'model', 'agent', 'key'] as const;

/** What the agents' work in a project costs, and how that breaks down. */
export function Screen() {
  const projects = useProjects();
  return (
    <div class="screen">
      <div class="row costs-head">
        <Heading title={words.title} />
        <search class="row" aria-label={words.choices}>
          <PeriodChoice />
        </search>
      </div>
      <Loaded query={projects}>
        {(all) => {
          const project = chosenProject(all);
          return project ? <OfProject projectId={project.id} /> : <NoProject all={all} />;
        }}
      </Loaded>
    </div>
  );
}

function PeriodChoice() {
  const { name, from, to } = periodOfAddress();
  const choose = (chosen: string) => {
    const dates = chosen === 'chosen' ? { period: undefined, from: from ?? to, to } : undefined;
    setFilters(dates ?? { period: chosen, from: undefined, to: undefined }, 'push');
  };
  return (
    <>
      <Select
        inline
        aria-label={words.period}
        value={name}
        options={[...PERIODS.map((each) => [each, periodWords(each)] as const), ['chosen', words.chosen]]}
        onChoose={choose}
      />
      {name === 'chosen' && (
        <>
          <DateField
            class="input input-inline"
            aria-label={words.from}
            value={from ?? ''}
            onChange={(date) => setFilters(date > to ? { from: date, to: date } : { from: date || undefined, to })}
          />
          <DateField
            class="input input-inline"
            aria-label={words.to}
            value={to}
            onChange={(date) =>
              setFilters(from && date && date < from ? { from: date, to: date } : { from, to: date || undefined })
            }
          />
        </>
      )}
    </>
  );
}

const periodWords = (name: PeriodName) => (name === 'all' ? words.sinceBeginning : words.lastDays({ n: Number(name) }));

function OfProject({ projectId }: { readonly projectId: string }) {
  const period = periodOfAddress();
  const costs = useCosts(projectId, period);
  return (
    <Loaded query={costs}>
      {(found) =>
        found.totals.sessions === 0 ? (
          <>
            <Empty>
              <p>{words.none}</p>
              <p>{words.noneHelp}</p>
            </Empty>
            <Budgets projectId={projectId} budgets={found.budgets} />
          </>
        ) : (
          <Found projectId={projectId} costs={found} period={period} />
        )
      }
    </Loaded>
  );
}

interface FoundProps {
  readonly projectId: string;
  readonly costs: Costs;
  readonly period: Period;
}

function Found({ projectId, costs: { totals, budgets, by }, period }: FoundProps) {
  const { sessions, unpricedSessions } = totals;
  return (
    <>
      <dl class="costs-totals">
        <Fact name={words.cost}>{dollars(costOf(totals))}</Fact>
        <Fact name={words.tokens}>{roughly(totals.totalTokens)}</Fact>
        <Fact name={words.sessions}>{number(sessions)}</Fact>
        {totals.durationMs > 0 && <Fact name={words.time}>{duration(totals.durationMs)}</Fact>}
      </dl>
      <p class="quiet">
        {words.inUtc} {unpricedSessions > 0 && words.unpriced({ n: unpricedSessions })}
      </p>
      <div class="costs-main">
        <ByDay period={period} used={by.day} />
        <Budgets projectId={projectId} budgets={budgets} />
      </div>
      <div class="costs-groups">
        {GROUPS.map((name) => (
          <ByGroup key={name} name={name} groups={by[name]} total={costOf(totals)} />
        ))}
      </div>
    </>
  );
}
