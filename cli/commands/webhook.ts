import { DELIVERY_STATES, type Delivery, type Webhook } from '@worktrack/contracts/events/webhook';
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@worktrack/contracts/events/webhooks';
import type { RawInput } from '@worktrack/contracts/operation';
import { Command, Option } from 'commander';
import { Failure, requireChange } from '../failure.ts';
import { durationOf } from '../flags.ts';
import { wholeNumber, withJson } from '../options.ts';
import { minute, type OutputOptions, oneLine, print, printJson, printList, printRecord } from '../output.ts';
import { api } from '../service/api.ts';

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description('webhooks: events sent to other systems');
  webhook.command('list').description('list the webhooks, newest first').action(list);
  withSettings(webhook.command('create').description('create a webhook; its secret is shown only this once'), true)
    .option('--disable', 'send nothing yet')
    .action(create);
  withSettings(webhook.command('update <id>').description('change a webhook'), false)
    .addOption(new Option('--all-projects', 'send events from all projects').conflicts('projectId'))
    .addOption(new Option('--disable', 'send nothing any more').conflicts('enable'))
    .option('--enable', 'send again')
    .action(update);
  webhook
    .command('delete <id>')
    .description('delete a webhook; what has not been delivered will not be sent')
    .action(remove);
  webhook
    .command('rotate <id>')
    .description('give a webhook a new secret, shown only this once')
    .option(
      '--overlap <time>',
      'how long those before also sign, at most 1d; 0s after a leak; default: 1d',
      durationOf(rotateWebhookSecret, 'overlapSeconds'),
    )
    .action(rotate);
  webhook.command('test <id>').description('send a test event now and print the outcome').action(test);
  webhook
    .command('deliveries <id>')
    .description('list what was sent in the last 30 days, newest first')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .option('--limit <number>', 'at most so many', wholeNumber)
    .option('--cursor <cursor>', 'continue where the previous page ended')
    .action(deliveries);
  webhook
    .command('replay <id>')
    .description('send events again, under the same ids')
    .option('--after <seq>', 'everything in the log after this event', wholeNumber)
    .addOption(new Option('--delivery <id...>', 'these deliveries').conflicts('after'))
    .action(replay);
  return withJson(webhook);
}

function withSettings(command: Command, isNew: boolean): Command {
  return command
    .addOption(new Option('--url <url>', 'where events are sent').makeOptionMandatory(isNew))
    .option(
      '--types <type...>',
      `which events: work_item.moved, work_item.*${isNew ? '; default: all that your key may read' : ''}`,
    )
    .option('--project-id <id>', 'only events in this project')
    .option('--description <text>', 'what it is for');
}

interface Settings extends OutputOptions {
  readonly url?: string;
  readonly types?: string[];
  readonly projectId?: string;
  readonly description?: string;
  readonly disable?: boolean;
}

async function list({ json }: OutputOptions): Promise<void> {
  const webhooks = await api().call(listWebhooks, {});
  if (json) return printJson(webhooks);
  printList(
    webhooks,
    {
      ID: 'id',
      URL: 'url',
      TYPES: ({ types }) => types.join(' '),
      STATE: 'state',
      CREATED: ({ createdAt }) => minute(createdAt),
    },
    'There are no webhooks.',
  );
}

async function create({ json, disable, ...settings }: Settings & { readonly url: string }): Promise<void> {
  const input = { ...settings, ...(disable && { enabled: false }) } as RawInput<typeof createWebhook>;
  const made = await api().call(createWebhook, input);
  if (json) return printJson(made);
  show(made);
  showSecret(made.secret);
}

async function update(
  id: string,
  {
    json,
    disable,
    enable,
    allProjects,
    ...settings
  }: Settings & { readonly enable?: boolean; readonly allProjects?: boolean },
): Promise<void> {
  const changes = {
    ...settings,
    ...(allProjects && { projectId: null }),
    ...((disable || enable) && { enabled: enable === true }),
  };
  requireChange(changes, 'webhook update');
  const changed = await api().call(updateWebhook, { id, ...changes } as RawInput<typeof updateWebhook>);
  if (json) printJson(changed);
  else show(changed);
}

async function remove(id: string, { json }: OutputOptions): Promise<void> {
  const deleted = await api().call(deleteWebhook, { id });
  if (json) printJson(deleted);
  else print('Deleted.');
}

async function rotate(id: string, { overlap, json }: OutputOptions & { overlap?: number }): Promise<void> {
  const rotated = await api().call(rotateWebhookSecret, { id, overlapSeconds: overlap });
  if (json) return printJson(rotated);
  showSecret(rotated.secret);
  print(`Those before also sign until ${minute(rotated.previousSignsUntil)} UTC.`);
}

async function test(id: string, { json }: OutputOptions): Promise<void> {
  const delivery = await api().call(testWebhook, { id });
  if (json) printJson(delivery);
  else print(delivery.state === 'delivered' ? `Delivered: HTTP ${delivery.status}.` : outcomeOf(delivery));
  // So that a script can tell.
  if (delivery.state !== 'delivered') process.exitCode = 1;
}

interface DeliveriesOptions extends OutputOptions {
  readonly state?: Delivery['state'];
  readonly limit?: number;
  readonly cursor?: string;
}

async function deliveries(id: string, { json, ...which }: DeliveriesOptions): Promise<void> {
  const found = await api().call(listDeliveries, { id, ...which });
  if (json) return printJson(found);
  printList(
    found.items,
    {
      ID: 'id',
      SEQ: 'seq',
      TYPE: 'type',
      STATE: 'state',
      ATTEMPTS: 'attempts',
      LAST: ({ attemptedAt }) => minute(attemptedAt),
      NEXT: ({ nextAttemptAt }) => minute(nextAttemptAt),
      OUTCOME: outcomeOf,
    },
    'There are no such deliveries.',
  );
  if (found.nextCursor !== null) print(`\nThere is more: --cursor ${found.nextCursor}`);
}

async function replay(
  id: string,
  { json, after, delivery }: OutputOptions & { readonly after?: number; readonly delivery?: string[] },
): Promise<void> {
  if (after === undefined && delivery === undefined) {
    throw new Failure('usage', 'Say what to send again: --after or --delivery.');
  }
  const { replayed } = await api().call(replayWebhook, { id, after, deliveryIds: delivery });
  if (json) printJson({ replayed });
  else print(`Sent again: ${replayed}.`);
}

/** Of the last attempt. An endpoint may respond with anything, so its response is made safe to print. */
function outcomeOf({ status, error }: Delivery): string {
  return [status === null ? '' : `HTTP ${status}`, oneLine(error)].filter(Boolean).join(': ');
}

function show(webhook: Webhook): void {
  printRecord({
    ID: webhook.id,
    URL: webhook.url,
    Types: webhook.types.join(' '),
    Project: webhook.projectId ?? 'all',
    Description: webhook.description,
    State: webhook.state,
  });
}

function showSecret(secret: string | null): void {
  print(`Secret: ${secret ?? 'was shown before and is stored nowhere'}`);
}
