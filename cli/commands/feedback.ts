import { listFeedback, updateFeedback } from '@worktrack/contracts/feedback/inbox';
import { Status } from '@worktrack/contracts/feedback/records';
import { linkFeedback, unlinkFeedback } from '@worktrack/contracts/gateway/link';
import { Argument, Command } from 'commander';
import { addFlags, fieldsFrom } from '../flags.ts';
import { idempotencyKeyOption, withJson } from '../options.ts';
import { minute, type OutputOptions, oneLine, print, printJson, printList } from '../output.ts';
import { api } from '../service/api.ts';

/** What `link` and `unlink` take without an option. */
const PLACED = { workItemId: '<idea>' };

export function feedbackCommand(): Command {
  const feedback = new Command('feedback').description('what the public wrote');
  addFlags(feedback.command('list').description('list the inbox, newest first'), listFeedback).action(list);
  feedback
    .command('status <id>')
    .description('set the status of a feedback item')
    .addArgument(new Argument('<status>').choices(Status.options))
    .addOption(idempotencyKeyOption())
    .action(async (id: string, status: Status, options: OutputOptions & { idempotencyKey?: string }) => {
      const item = await api().call(updateFeedback, { id, status }, options);
      if (options.json) return printJson(item);
      print(`${item.id} is ${item.status}.`);
    });
  feedback
    .command('link <id> <idea>')
    .description('link a feedback item to an idea')
    .addOption(idempotencyKeyOption())
    .action(async (feedbackId: string, workItemId: string, options: OutputOptions & { idempotencyKey?: string }) => {
      const linked = await api().call(linkFeedback, { feedbackId, workItemId }, { ...options, placed: PLACED });
      if (options.json) return printJson(linked);
      print(`${linked.taskId} has ${linked.feedbackCount} linked feedback items.`);
    });
  feedback
    .command('unlink <id> <idea>')
    .description('take the link to an idea back, also to a deleted one')
    .addOption(idempotencyKeyOption())
    .action(async (feedbackId: string, workItemId: string, options: OutputOptions & { idempotencyKey?: string }) => {
      const unlinked = await api().call(unlinkFeedback, { feedbackId, workItemId }, { ...options, placed: PLACED });
      if (options.json) return printJson(unlinked);
      print(`${workItemId} has ${unlinked.feedbackCount} linked feedback items.`);
    });
  return withJson(feedback);
}

async function list(options: OutputOptions & Record<string, unknown>): Promise<void> {
  const found = await api().call(listFeedback, await fieldsFrom(listFeedback, options));
  if (options.json) return printJson(found);
  printList(
    found.items,
    {
      ID: 'id',
      STATUS: 'status',
      CATEGORY: 'category',
      CREATED: ({ createdAt }) => minute(createdAt),
      MESSAGE: ({ message }) => oneLine(message),
    },
    'There is no such feedback.',
  );
  if (found.nextCursor !== null) print(`\nThere is more: --cursor ${found.nextCursor}`);
}
