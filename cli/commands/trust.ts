import { listTries, listTrustRules } from '@worktrack/contracts/keys/trust-rules';
import { Command } from 'commander';
import { api } from '../api.ts';
import { jsonOption } from '../options.ts';
import { type OutputOptions, printJson, printList } from '../output.ts';

export function trustCommand(): Command {
  const trust = new Command('trust').description('rules by which jobs of CI get tokens without a stored secret');
  trust.command('list').description('list the rules').addOption(jsonOption()).action(list);
  trust
    .command('tries <id>')
    .description('show why the last tokens that name a rule were refused')
    .addOption(jsonOption())
    .action(tries);
  return trust;
}

async function list({ json }: OutputOptions): Promise<void> {
  const rules = await api().call(listTrustRules, {});
  if (json) return printJson(rules);
  printList(
    rules,
    {
      ID: ({ id }) => id,
      NAME: ({ name, disabled }) => (disabled ? `${name} (disabled)` : name),
      ISSUER: ({ issuer }) => issuer,
      'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
    },
    'There are no rules of trust.',
  );
}

async function tries(id: string, { json }: OutputOptions): Promise<void> {
  const refused = await api().call(listTries, { id });
  if (json) return printJson(refused);
  printList(
    refused,
    { AT: ({ at }) => at, CLAIM: ({ claim }) => claim, EXPECTED: ({ expected }) => expected, GOT: ({ got }) => got },
    'None was refused in the last 7 days.',
  );
}
