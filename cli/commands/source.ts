import type { Source } from '@worktrack/contracts/feedback/records';
import { createSource, deleteSource, listSources, updateSource } from '@worktrack/contracts/feedback/sources';
import { Command, Option } from 'commander';
import { requireChange } from '../failure.ts';
import { wholeNumber, withJson } from '../options.ts';
import { minute, type OutputOptions, print, printJson, printList, printRecord } from '../output.ts';
import { api } from '../service/api.ts';

const TYPES = ['widget', 'server'] as const;

export function sourceCommand(): Command {
  const source = new Command('source').description('feedback sources of the organization');
  source.command('list').description('list the sources, newest first').action(list);
  withSettings(
    source
      .command('create')
      .description('create a source; its public key may be visible in a page')
      .requiredOption('--name <name>', 'what it is for'),
    (help, byDefault) => `${help}; default: ${byDefault}`,
  ).action(create);
  withSettings(
    source
      .command('update <id>')
      .description('change a source')
      .option('--name <name>', 'what it is for')
      .addOption(new Option('--any-domain', 'accept feedback from everywhere').conflicts('domain'))
      .addOption(new Option('--all-projects', 'make it belong to no project').conflicts('projectId'))
      .addOption(new Option('--keep', 'stop erasing by age').conflicts('retentionDays'))
      .addOption(new Option('--disable', 'behave as if there were no such source').conflicts('enable'))
      .option('--enable', 'accept feedback again'),
    (help) => help,
  ).action(update);
  source
    .command('delete <id>')
    .description('delete a source; its items stay, without their submitted content')
    .option('--erase', 'erase what was submitted through it; required if the source has items')
    .action(remove);
  return withJson(source);
}

function withSettings(command: Command, told: (help: string, byDefault: string) => string): Command {
  return command
    .addOption(new Option('--type <type>', told('where it is used', 'widget')).choices(TYPES))
    .option('--domain <domain...>', told('where feedback may come from: example.com, *.example.com', 'everywhere'))
    .option('--project-id <id>', told('the project that it belongs to', 'none'))
    .option('--captcha', told('require a captcha', 'yes'))
    .option('--no-captcha', 'do not require a captcha')
    .option('--retention-days <days>', told('erase what is older', 'keep it'), wholeNumber);
}

interface Settings extends OutputOptions {
  readonly name?: string;
  readonly type?: (typeof TYPES)[number];
  readonly domain?: string[];
  readonly projectId?: string;
  readonly captcha?: boolean;
  readonly retentionDays?: number;
}

async function list({ json }: OutputOptions): Promise<void> {
  const sources = await api().call(listSources, {});
  if (json) return printJson(sources);
  printList(
    sources,
    {
      ID: 'id',
      'PUBLIC KEY': 'publicKey',
      NAME: 'name',
      TYPE: 'type',
      DOMAINS: domainsOf,
      CAPTCHA: 'requireCaptcha',
      ENABLED: 'enabled',
      CREATED: (source) => minute(source.createdAt),
    },
    'There are no sources.',
  );
}

async function create({
  name,
  type,
  domain,
  projectId,
  captcha,
  retentionDays,
  json,
}: Settings & { name: string }): Promise<void> {
  const settings = { name, type, allowedDomains: domain, projectId, requireCaptcha: captcha, retentionDays };
  show(await api().call(createSource, settings), json);
}

interface Changes extends Settings {
  readonly anyDomain?: boolean;
  readonly allProjects?: boolean;
  readonly keep?: boolean;
  readonly disable?: boolean;
  readonly enable?: boolean;
}

async function update(id: string, options: Changes): Promise<void> {
  const { name, type, domain, anyDomain, projectId, allProjects, captcha, retentionDays, keep } = options;
  const { disable, enable, json } = options;
  const changes = {
    name,
    type,
    allowedDomains: anyDomain ? [] : domain,
    projectId: allProjects ? null : projectId,
    requireCaptcha: captcha,
    retentionDays: keep ? null : retentionDays,
    enabled: disable ? false : enable ? true : undefined,
  };
  requireChange(changes, 'source update');
  show(await api().call(updateSource, { id, ...changes }), json);
}

async function remove(id: string, { erase, json }: OutputOptions & { erase?: boolean }): Promise<void> {
  const deleted = await api().call(deleteSource, { id, erase });
  if (json) return printJson(deleted);
  print('Deleted.');
}

function show(source: Source, json: boolean | undefined): void {
  if (json) printJson(source);
  else
    printRecord({
      ID: source.id,
      'Public key': source.publicKey,
      Name: source.name,
      Type: source.type,
      Domains: domainsOf(source),
      Project: source.projectId ?? 'none',
      Captcha: source.requireCaptcha,
      'Kept for': source.retentionDays === undefined ? 'ever' : `${source.retentionDays} days`,
      Enabled: source.enabled,
    });
}

function domainsOf(source: Source): string {
  return source.allowedDomains.length === 0 ? 'any' : source.allowedDomains.join(' ');
}
