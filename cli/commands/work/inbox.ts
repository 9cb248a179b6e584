import { type ForYouItem, listForYou } from '@worktrack/contracts/gateway/for-you';
import { Command } from 'commander';
import { addFlags, fieldsFrom } from '../../flags.ts';
import { jsonOption } from '../../options.ts';
import { minute, type OutputOptions, oneLine, print, printJson, printList } from '../../output.ts';
import { api } from '../../service/api.ts';

export function inboxCommand(): Command {
  const inbox = new Command('inbox').description('what needs you, over all projects');
  return addFlags(inbox, listForYou).addOption(jsonOption()).action(list);
}

async function list(options: OutputOptions & Record<string, unknown>): Promise<void> {
  const found = await api().call(listForYou, await fieldsFrom(listForYou, options));
  if (options.json) return printJson(found);
  printList(
    found.items,
    {
      KIND: 'kind',
      SINCE: ({ since }) => minute(since),
      ITEM: ({ workItem }) => workItem?.taskId,
      WHAT: (item) => oneLine(whatOf(item)),
    },
    'Nothing needs you.',
  );
  if (found.nextCursor !== null) print(`\nThere is more: --cursor ${found.nextCursor}`);
}

/** What somebody has to know to decide whether to look. */
function whatOf({ workItem, blockedBy, budget, previous, mention, invitation }: ForYouItem): string {
  if (budget) return `$${budget.spentUsd.toFixed(2)} of $${budget.limitUsd.toFixed(2)} spent`;
  if (invitation) {
    const { user, state, expiresAt } = invitation;
    return `${user.name} <${user.email}>, ${state === 'open' ? `until ${minute(expiresAt)}` : 'ended unused'}`;
  }
  const { lease, rework, title = '' } = workItem ?? {};
  const why =
    mention?.text ??
    lease?.question ??
    rework?.summary ??
    previous?.agent ??
    blockedBy?.map(({ taskId }) => taskId).join(', ');
  return why ? `${why}: ${title}` : title;
}
