import type { Output, RawInput } from '@worktrack/contracts/operation';
import { completeAiTask, completeReview, completeValidation } from '@worktrack/contracts/work-items/agents/completions';
import { claimWorkItem, releaseWorkItem } from '@worktrack/contracts/work-items/agents/leases';
import { reportProgress } from '@worktrack/contracts/work-items/agents/progress';
import { recordAiSession } from '@worktrack/contracts/work-items/costs/sessions';
import type { Command } from 'commander';
import { EXIT } from '../../failure.ts';
import { addFlags, fieldsFrom } from '../../flags.ts';
import { idempotencyKeyOption } from '../../options.ts';
import { minute, print, printJson, printRecord, warn } from '../../output.ts';
import { api } from '../../service/api.ts';
import { type Options, send } from '../sending.ts';

export function addWorkCommands(item: Command): void {
  addFlags(
    item.command('claim [items...]').description('claim the best ready task among these items, or else in the project'),
    claimWorkItem,
    ['ids'],
  )
    .addOption(idempotencyKeyOption())
    .action(claim);

  addFlags(item.command('release <item>').description('give a claimed task back'), releaseWorkItem, ['workItemId'])
    .addOption(idempotencyKeyOption())
    .action(async (workItemId: string, options: Options) => {
      const released = await send(releaseWorkItem, { workItemId }, options);
      if (options.json) return printJson(released);
      print(`${released.workItem.taskId} is in ${released.workItem.columnName} again.`);
    });

  addFlags(
    item
      .command('progress <item>')
      .description('renew the lease, say how the work goes, and hear answers and whether to stop'),
    reportProgress,
    ['workItemId'],
  )
    .addOption(idempotencyKeyOption())
    .action(async (workItemId: string, options: Options) => {
      const heard = await send(reportProgress, { workItemId }, options);
      if (options.json) return printJson(heard);
      print(`${workItemId} is held until ${minute(heard.lease.expiresAt)} (UTC).`);
      for (const { text, beforeQuestion } of heard.answers) {
        print(`${beforeQuestion ? 'Said before the question' : 'Answer'}: ${text}`);
      }
      for (const { taskId, summary, issues } of heard.notices ?? []) {
        print(`${taskId}, which it depends on, was sent back: ${[summary, ...issues].join('; ')}`);
      }
      if (heard.stop) print('Stop: a budget is used up. Hand over what there is, or release it.');
    });

  for (const [name, operation, description] of [
    ['complete', completeAiTask, 'hand over a finished task: move it to Review and record the AI session'],
    ['review', completeReview, 'finish a review: on to the next step, or back to be fixed'],
    ['validate', completeValidation, 'finish a validation: on to the next step, or back if tests failed'],
  ] as const) {
    addFlags(item.command(`${name} <item>`).description(description), operation, ['workItemId'])
      .addOption(idempotencyKeyOption())
      .action(async (workItemId: string, options: Options) => {
        const done = await send(operation, { workItemId }, options);
        warn(done, options);
        if (options.json) return printJson(done);
        print(`${workItemId} moved to ${done.movedTo}.`);
      });
  }

  addFlags(
    item.command('session <item>').description('record an AI session outside of a completion'),
    recordAiSession,
    ['workItemId', 'taskId'],
  )
    .addOption(idempotencyKeyOption())
    .action(async (workItemId: string, options: Options) => {
      const recorded = await send(recordAiSession, { workItemId }, options);
      if (options.json) return printJson(recorded);
      print(`Recorded: ${recorded.totalTokens} tokens, $${recorded.estimatedCost} (${recorded.costBasis}).`);
    });
}

async function claim(ids: string[], options: Options): Promise<void> {
  const service = api();
  const fields = await fieldsFrom(claimWorkItem, options);
  const where = ids.length > 0 ? { ids } : { projectId: fields.projectId ?? service.projectId };
  const input = { ...fields, ...where } as RawInput<typeof claimWorkItem>;
  const claimed = await service.call(claimWorkItem, input, { ...options, placed: { ids: '<items>' } });
  const { workItem, lease, reason } = claimed;
  const isNothing = !workItem || !lease;
  if (isNothing) process.exitCode = EXIT.nothing;
  if (options.json) return printJson(claimed);
  if (isNothing) return print(reason ?? 'Nothing could be claimed.');
  printRecord({
    'Task ID': workItem.taskId,
    Title: workItem.title,
    'Lease token': lease.token,
    'Until (UTC)': lease.expiresAt,
  });
  for (const line of earlier(claimed)) print(line);
}

/** What an agent that takes up a task has to know of the work on it before. */
function earlier({ rework, previous, answers = [] }: Output<typeof claimWorkItem>): readonly string[] {
  const lines: string[] = [];
  if (rework) lines.push(`Sent back: ${rework.summary}`, ...rework.issues.map((issue) => `- ${issue}`));
  if (previous) {
    const { agent, endedBecause, note, checkpoint } = previous;
    lines.push(`Worked on before by ${agent} (${endedBecause})${note ? `: ${note}` : ''}`);
    if (checkpoint !== null) lines.push(`Checkpoint: ${JSON.stringify(checkpoint)}`);
  }
  return [...lines, ...answers.map(({ text }) => `Comment: ${text}`)];
}
