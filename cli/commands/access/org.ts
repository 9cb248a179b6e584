import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { jsonOption, rateOf, wholeNumber } from '../../options.ts';
import { type OutputOptions, print, printJson, printRecord } from '../../output.ts';

interface CreateOptions extends OutputOptions {
  readonly name: string;
  readonly ownerEmail: string;
  readonly ownerName?: string;
  readonly rateLimit?: number;
  readonly rateWindow?: number;
}

/** Operators of the service create organizations: there is no key yet, so this talks to the keys service directly. */
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
    .addOption(jsonOption())
    .action(create);
  return org;
}

async function create({ name, ownerEmail, ownerName, rateLimit, rateWindow, json }: CreateOptions): Promise<void> {
  const keyRateLimit = rateOf(rateLimit, rateWindow);
  // Only here: the other commands start a third faster without the RPC library.
  const { callKeysService } = await import('../../service/keys-service.ts');
  const made = await callKeysService((keys, requestId) =>
    keys.call(
      'organizations.create',
      { name, ownerEmail, ownerName, keyRateLimit },
      { requestId, idempotencyKey: randomUUID() },
    ),
  );
  const apiKey = made.apiKey.key;
  if (json) return printJson({ organization: made.organization, user: made.user, apiKey });
  printRecord({
    Organization: `${made.organization.name} (${made.organization.id})`,
    Owner: `${made.user.name} <${made.user.email}> (${made.user.id})`,
    'API key': apiKey,
  });
  print('\nKeep the key: it is shown only this once.');
}
