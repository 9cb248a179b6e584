import { listGrants, revokeGrant } from '@worktrack/contracts/keys/grants';
import type { Grant } from '@worktrack/contracts/keys/records';
import { Command } from 'commander';
import { withJson } from '../../options.ts';
import { minute, type OutputOptions, print, printJson, printList } from '../../output.ts';
import { allPages } from '../../service/all-pages.ts';
import { api } from '../../service/api.ts';

export function grantCommand(): Command {
  const grant = new Command('grant').description('apps that are connected without a key');
  grant
    .command('list')
    .description('list the apps that you have connected, newest first')
    .option('--all', 'those of all users, for owners')
    .option('--include-ended', 'those that were disconnected or have expired, too')
    .action(list);
  grant.command('revoke <id>').description('disconnect an app, immediately and permanently').action(revoke);
  return withJson(grant);
}

interface ListOptions extends OutputOptions {
  readonly all?: boolean;
  readonly includeEnded?: boolean;
}

async function list({ all, includeEnded, json }: ListOptions): Promise<void> {
  const pages = await allPages((cursor) => api().call(listGrants, { all, includeEnded, cursor }));
  const grants = pages.flatMap(({ items }) => items);
  if (json) return printJson(grants);
  printList(
    grants,
    {
      ID: 'id',
      APP: 'clientName',
      // Whatever an app calls itself, this is proven.
      DOMAIN: ({ clientDomain }) => clientDomain ?? 'not verified',
      ...(all ? { USER: 'userId' as const } : {}),
      PERMISSIONS: ({ permissions }) => permissions.join(' '),
      'LAST USED': ({ lastUsedAt }) => minute(lastUsedAt),
      EXPIRES: ({ expiresAt }) => minute(expiresAt),
      ...(includeEnded ? { ENDED: endedWords } : {}),
    },
    'No app is connected.',
  );
}

const endedWords = ({ revokedAt, endedBecause }: Grant) => revokedAt && `${minute(revokedAt)} (${endedBecause})`;

async function revoke(id: string, { json }: OutputOptions): Promise<void> {
  const revoked = await api().call(revokeGrant, { id });
  if (json) return printJson(revoked);
  print(`Disconnected. The app has been refused since ${revoked.revokedAt}.`);
}
