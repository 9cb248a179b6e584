import { randomUUID } from 'node:crypto';
import { createOrganization, createOwnerKey } from '@worktrack/contracts/keys/organizations';
import type { Output } from '@worktrack/contracts/operation';
import { Command } from 'commander';
import { rateOf, wholeNumber, withJson } from '../../options.ts';
import { type OutputOptions, print, printJson, printRecord } from '../../output.ts';

interface CreateOptions extends OutputOptions {
  readonly name: string;
  readonly ownerEmail: string;
  readonly ownerName?: string;
  readonly rateLimit?: number;
  readonly rateWindow?: number;
}

/** For operators of the service: there is no key yet, or none any more, so this talks to the keys service directly. */
export function orgCommand(): Command {
  const org = new Command('org').description('organizations: for operators of the service');
  org
    .command('create')
    .description('create an organization, its owner and the first API key')
    .requiredOption('--name <name>', 'name of the organization')
    .requiredOption('--owner-email <address>', 'e-mail address of its owner')
    .option('--owner-name <name>', 'name of its owner; default: the address before the @')
    .option('--rate-limit <requests>', 'of the key, per window; 0: unlimited; default: 6000 a minute', wholeNumber)
    .option('--rate-window <seconds>', 'length of the window; default: 60', wholeNumber)
    .action(create);
  org
    .command('key <organization>')
    .description('give an owner of an organization a new API key, when nobody there has one any more')
    .option('--owner-email <address>', 'of the owner, if there are several')
    .action(createKey);
  return withJson(org);
}

async function create({ name, ownerEmail, ownerName, rateLimit, rateWindow, json }: CreateOptions): Promise<void> {
  const keyRateLimit = rateOf(rateLimit, rateWindow);
  // Only here: the other commands start a third faster without the RPC library.
  const { callKeysService } = await import('../../service/keys-service.ts');
  const made = await callKeysService(createOrganization, (keys, requestId) =>
    keys.call(
      'organizations.create',
      { name, ownerEmail, ownerName, keyRateLimit },
      { requestId, idempotencyKey: randomUUID() },
    ),
  );
  show(made, json);
}

async function createKey(
  organizationId: string,
  { ownerEmail, json }: OutputOptions & { readonly ownerEmail?: string },
): Promise<void> {
  const { callKeysService } = await import('../../service/keys-service.ts');
  const made = await callKeysService(createOwnerKey, (keys, requestId) =>
    keys.call(
      'organizations.createOwnerKey',
      { organizationId, ownerEmail },
      { requestId, idempotencyKey: randomUUID() },
    ),
  );
  show(made, json);
}

function show({ organization, user, apiKey: { key } }: Output<typeof createOrganization>, json?: boolean): void {
  if (json) {
    printJson({ organization, user, apiKey: key });
    return;
  }
  printRecord({
    Organization: `${organization.name} (${organization.id})`,
    Owner: `${user.name} <${user.email}> (${user.id})`,
    'API key': key,
  });
  print('\nKeep the key: it is shown only this once.');
}
