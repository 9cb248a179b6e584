import {
  createKey,
  listKeys,
  MAX_LISTED_KEYS,
  revokeKey,
  rotateKey,
  rotateOwnKey,
} from '@worktrack/contracts/keys/keys';
import type { ApiKey, CreatedApiKey } from '@worktrack/contracts/keys/records';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { Command, Option } from 'commander';
import { durationOf } from '../../flags.ts';
import { rateOf, wholeNumber, withJson } from '../../options.ts';
import { minute, type OutputOptions, print, printJson, printList, printRecord } from '../../output.ts';
import { api } from '../../service/api.ts';

export function keyCommand(): Command {
  const key = new Command('key').description('API keys of the organization');
  key
    .command('create')
    .description('create a key, which is shown only this once')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(
      new Option('--permission <permission...>', 'what it may do; default: whatever your own key may').choices(
        PERMISSIONS,
      ),
    )
    .option('--project <id...>', 'its only projects; default: those of your own key')
    .option('--expires-in-days <days>', 'default: it does not expire', wholeNumber)
    .option('--rate-limit <requests>', 'requests per window; 0: unlimited; default: 6000 a minute', wholeNumber)
    .option('--rate-window <seconds>', 'length of the window; default: 60', wholeNumber)
    .option('--user <id>', 'the user it acts as; default: yourself')
    .action(create);
  key
    .command('list')
    .description('list the active keys, newest first')
    .option('--all', 'revoked and expired ones too')
    .action(list);
  key
    .command('rotate <id>')
    .description('replace a key by one with all that it has; `self`: your own')
    .option(
      '--overlap <time>',
      'how long the old one still works, at most 7d: 12h; default: 1d',
      durationOf(rotateKey, 'overlapSeconds'),
    )
    .action(rotate);
  key.command('revoke <id>').description('revoke a key, immediately and permanently').action(revoke);
  return withJson(key);
}

interface CreateOptions extends OutputOptions {
  readonly name: string;
  readonly permission?: Permission[];
  readonly project?: string[];
  readonly expiresInDays?: number;
  readonly rateLimit?: number;
  readonly rateWindow?: number;
  readonly user?: string;
}

async function create({
  name,
  permission,
  project,
  expiresInDays,
  rateLimit,
  rateWindow,
  user,
  json,
}: CreateOptions): Promise<void> {
  const made = await api().call(
    createKey,
    {
      name,
      permissions: permission,
      projects: project,
      expiresInDays,
      rateLimit: rateOf(rateLimit, rateWindow),
      userId: user,
    },
    { inItsWords: (text) => text.replaceAll('rateLimit.windowSeconds', '--rate-window') },
  );
  showMade(made, json);
}

function showMade(made: CreatedApiKey, json: boolean | undefined): void {
  if (json) {
    printJson(made);
    return;
  }
  printRecord({
    ID: made.id,
    Name: made.name,
    Permissions: permissionsOf(made),
    ...(made.projects && { Projects: made.projects.join(' ') }),
    Rate: rateWords(made),
    Expires: minute(made.expiresAt),
    'API key': made.key,
  });
  print('\nKeep the key: it is shown only this once.');
}

async function rotate(id: string, { overlap, json }: OutputOptions & { overlap?: number }): Promise<void> {
  const overlapSeconds = overlap;
  showMade(
    id === 'self'
      ? await api().call(rotateOwnKey, { overlapSeconds })
      : await api().call(rotateKey, { id, overlapSeconds }),
    json,
  );
}

async function list({ all, json }: OutputOptions & { all?: boolean }): Promise<void> {
  const keys = await listed(all ?? false);
  if (json) return printJson(keys);
  printList(
    keys,
    {
      ID: 'id',
      PREFIX: 'prefix',
      NAME: 'name',
      PERMISSIONS: permissionsOf,
      ...(keys.some(({ projects }) => projects) ? { PROJECTS: projectsOf } : {}),
      RATE: rateWords,
      CREATED: (key) => minute(key.createdAt),
      'LAST USED': (key) => minute(key.lastUsedAt),
      EXPIRES: (key) => minute(key.expiresAt),
      ...(all ? { REVOKED: (key: ApiKey) => minute(key.revokedAt) } : {}),
    },
    'There are no keys.',
  );
}

const projectsOf = ({ projects }: ApiKey) => projects?.join(' ') ?? 'all';

async function listed(includeRevoked: boolean): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (;;) {
    const page = await api().call(listKeys, { includeRevoked, cursor: keys.at(-1)?.id });
    keys.push(...page);
    if (page.length < MAX_LISTED_KEYS) return keys;
  }
}

async function revoke(id: string, { json }: OutputOptions): Promise<void> {
  const revoked = await api().call(revokeKey, { id });
  if (json) return printJson(revoked);
  print(`Revoked. The key has been refused since ${revoked.revokedAt}.`);
}

function rateWords({ rateLimit: { requests, windowSeconds } }: ApiKey): string {
  return requests === 0 ? 'any' : `${requests} in ${windowSeconds} s`;
}

function permissionsOf({ permissions }: ApiKey): string {
  if (permissions.length === PERMISSIONS.length) return 'all';
  return permissions.length === 0 ? 'none' : permissions.join(' ');
}
