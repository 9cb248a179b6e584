import { setItemBudget, setProjectBudget } from '@worktrack/contracts/work-items/costs/budget';
import { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { addFlags } from '../../flags.ts';
import { idempotencyKeyOption, withJson } from '../../options.ts';
import { print, printJson } from '../../output.ts';
import { api } from '../../service/api.ts';
import { type Options, send } from '../sending.ts';

export function budgetCommand(): Command {
  const budget = new Command('budget').description('what may be spent on work');
  addFlags(
    budget.command('set [item]').description('limit the cost of an epic, feature or story, or else of the project'),
    setItemBudget,
    ['id'],
  )
    .option('--project-id <id>', 'default: WORKTRACK_PROJECT_ID')
    .addOption(idempotencyKeyOption())
    .action(async (item: string | undefined, options: Options & { readonly projectId?: string }) => {
      const { projectId = api().projectId } = options;
      if (item === undefined && projectId === undefined) {
        throw new Failure('usage', 'Say of what: an item, or --project-id.');
      }
      const set =
        item === undefined
          ? await send(setProjectBudget, { id: projectId }, { ...options, placed: { id: '--project-id' } })
          : await send(setItemBudget, { id: item }, { ...options, placed: { id: '<item>' } });
      if (options.json) return printJson(set);
      const { budget: now } = set;
      if (!now) return print('There is no limit.');
      print(
        `$${now.limitUsd} (${now.period}), of which $${now.spentUsd} are spent: $${now.spent.recordedUsd} recorded, $${now.spent.inFlightUsd} in flight.`,
      );
    });
  return withJson(budget);
}
