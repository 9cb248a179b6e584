import { once } from 'node:events';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { Command, InvalidArgumentError, Option } from 'commander';
import { api } from '../api.ts';
import { type EventFilters, followEvents } from '../event-stream.ts';
import type { OutputOptions } from '../output.ts';

const MAX_TOLD_CHARACTERS = 160;

export function eventsCommand(): Command {
  const events = new Command('events').description('what happens in the organization');
  events
    .command('tail')
    .description('print events as they happen, one line each, until Ctrl-C')
    .option('--types <types>', 'these types only, separated by commas: work_item.moved, work_item.*')
    .option('--project-id <id>', 'events of this project only')
    .option('--work-item-id <item>', 'events of this work item only, by task ID or UUID')
    .option('--after <seq>', 'begin behind this event of the log; default: now', seq)
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
      console.error(`The connection broke; resuming ${lastSeq === undefined ? 'from now on' : `after ${lastSeq}`}.`),
  });
  for await (const event of events) {
    const line = json ? JSON.stringify(event) : lineOf(event);
    // Who reads slowly is waited for, up to the service, which keeps nothing for them: the stream is resumed later.
    if (!process.stdout.write(`${line}\n`))
      await once(process.stdout, 'drain', { signal: ended.signal }).catch(() => {});
  }
}

/** `1042  2026-11-22 14:07:01  work_item.moved  W-T-12  fromColumn="To Do" toColumn="In Progress"  by claude` */
function lineOf({ seq, at, type, subject, actor, data }: LoggedEvent): string {
  const told = Object.entries(data)
    .map(([name, value]) => `${name}=${shown(name === 'changes' ? namesOf(value) : value)}`)
    .join(' ');
  return [
    seq,
    `${at.slice(0, 10)} ${at.slice(11, 19)}`,
    type,
    subject.taskId ?? subject.id,
    told.length > MAX_TOLD_CHARACTERS ? `${told.slice(0, MAX_TOLD_CHARACTERS)}…` : told,
    actor ? `by ${shown(actor.agent ?? actor.userId)}` : '',
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** What was changed; from what and to what is in the JSON. */
function namesOf(changes: unknown): unknown {
  return typeof changes === 'object' && changes !== null ? Object.keys(changes).join(',') : changes;
}

/** A plain word as it is, anything else as JSON. Control characters would be commands to a terminal, and anybody can have written them. */
function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\p{L}\p{N}_.,:/@#-]+$/u.test(value)) return value;
  return (JSON.stringify(value) ?? '').replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
