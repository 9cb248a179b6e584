import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import { eventLine } from '../event-line.ts';
import { type OutputOptions, printProblem, visible } from '../output.ts';
import { api } from '../service/api.ts';
import { type EventFilters, followEvents } from '../service/event-stream.ts';

export function eventsCommand(): Command {
  const events = new Command('events').description('what happens in the organization');
  events
    .command('tail')
    .description('print events as they happen, one line each, until Ctrl-C')
    .option('--types <types>', 'only these types, separated by commas: work_item.moved, work_item.*')
    .option('--project-id <id>', 'only events in this project')
    .option('--work-item-id <item>', 'only events of this work item, by task ID or UUID')
    .option('--after <seq>', 'begin after this event in the log; default: now', seq)
    .addOption(new Option('--json', 'print each event as a line of JSON'))
    .action(tail);
  return events;
}

function seq(value: string): string {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be the number of an event.');
  return value;
}

async function tail({ after, json, ...filters }: OutputOptions & EventFilters & { after?: string }): Promise<void> {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  const events = followEvents(api(), filters, {
    after,
    signal: ended.signal,
    broke: (lastSeq) =>
      printProblem(`The connection broke; resuming ${lastSeq === undefined ? 'from now on' : `after ${lastSeq}`}.`),
  });
  for await (const event of events) {
    const line = visible(json ? JSON.stringify(event) : eventLine(event));
    // A slow reader is waited for, all the way up to the service, which keeps nothing for it: the stream is resumed later.
    if (!process.stdout.write(`${line}\n`))
      await once(process.stdout, 'drain', { signal: ended.signal }).catch(() => {});
  }
}
