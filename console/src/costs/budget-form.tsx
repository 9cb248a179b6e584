import type {
  Budget,
  BudgetPeriod,
  setItemBudget,
  setProjectBudget,
} from '@worktrack/contracts/work-items/costs/budget';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { useSubmit } from '../parts/busy.ts';
import { NumberField } from '../parts/form/field.tsx';
import { FormFailed, faultAt } from '../parts/form/form-failed.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { ItemField } from '../parts/item/item-field.tsx';
import { words as common } from '../parts/messages.ts';
import { Dialog, FormActions } from '../parts/popup/dialog.tsx';
import { did } from '../parts/popup/undo.ts';
import { words } from './messages.ts';

/** What a budget is for when it is for the whole project; else the task ID of an item. */
export const OF_PROJECT = 'project';

export const PERIOD_WORDS: Readonly<Record<BudgetPeriod, () => string>> = {
  total: () => words.total,
  day: () => words.daily,
  month: () => words.month,
};
const PERIODS = Object.keys(PERIOD_WORDS) as BudgetPeriod[];

/** Null: there is none. */
type Limit = Pick<Budget, 'limitUsd' | 'period'> | null;

/** Sets it, and offers to set it as it was. */
export async function setBudget(projectId: string, of: string, to: Limit, before: Limit): Promise<void> {
  await write(projectId, of, to);
  const what = of === OF_PROJECT ? words.project : of;
  did((to ? words.budgetSet : words.budgetRemoved)({ what }), () => write(projectId, of, before));
}

async function write(projectId: string, of: string, to: Limit): Promise<void> {
  const limit = { limitUsd: to?.limitUsd ?? null, ...(to && { period: to.period }) };
  if (of === OF_PROJECT) {
    await call<typeof setProjectBudget>('PUT /api/projects/:id/budget', { id: projectId, ...limit });
  } else await call<typeof setItemBudget>('PUT /api/work-items/:id/budget', { id: of, ...limit });
  void queries.invalidateQueries({ queryKey: ['costs', projectId] });
  await queries.invalidateQueries({ queryKey: ['budgets', projectId] });
}

interface BudgetFormProps {
  readonly projectId: string;
  readonly budgets: readonly Budget[];
  /** The one being changed; if absent, one is set. */
  readonly budget: Budget | undefined;
  readonly onClose: () => void;
}

export function BudgetForm({ projectId, budgets, budget, onClose }: BudgetFormProps) {
  const [item, setItem] = useState('');
  const [limit, setLimit] = useState(String(budget?.limitUsd ?? ''));
  const [period, setPeriod] = useState<BudgetPeriod>(budget?.period ?? 'total');
  const { isBusy, error, run } = useSubmit();
  const isReady = limit !== '' && !isBusy;
  const save = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const of = budget?.of ?? (item.trim().toUpperCase() || OF_PROJECT);
    const before = budgets.find((each) => each.of === of) ?? null;
    void run(async () => {
      await setBudget(projectId, of, { limitUsd: Number(limit), period }, before);
      onClose();
    });
  };
  return (
    <Dialog title={words.setBudget} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        {budget ? (
          <p>{budget.of === OF_PROJECT ? words.project : budget.of}</p>
        ) : (
          <ItemField
            label={words.budgetOf}
            help={words.budgetOfHelp}
            error={faultAt(error, 'workItemId') ?? faultAt(error, 'id')}
            projectId={projectId}
            value={item}
            onChange={setItem}
          />
        )}
        <NumberField
          label={words.limitUsd}
          help={words.limitHelp}
          error={faultAt(error, 'limitUsd')}
          min={0}
          step="any"
          required
          value={limit}
          onChange={setLimit}
        />
        <SelectField
          label={words.period}
          value={period}
          options={PERIODS.map((each) => [each, PERIOD_WORDS[each]()])}
          onChoose={(chosen) => chosen && setPeriod(chosen)}
        />
        <FormFailed what={words.budgetNotSet} error={error} fields={['workItemId', 'id', 'limitUsd']} />
        <FormActions action={common.save} isReady={isReady} onClose={onClose} />
      </form>
    </Dialog>
  );
}
