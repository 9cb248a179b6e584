import { CODE_MINUTES, createLoginCode } from '@worktrack/contracts/keys/sessions';
import { Command } from 'commander';
import { jsonOption } from '../../options.ts';
import { type OutputOptions, print, printJson } from '../../output.ts';
import { api } from '../../service/api.ts';

export function loginLinkCommand(): Command {
  return new Command('login-link')
    .description(`print a link that signs in to the console once, within ${CODE_MINUTES} minutes`)
    .option('--user <id>', 'the user it signs in; default: yourself')
    .addOption(jsonOption())
    .action(printLink);
}

async function printLink({ user, json }: OutputOptions & { readonly user?: string }): Promise<void> {
  const service = api();
  const made = await service.call(createLoginCode, { userId: user });
  const url = `${service.baseUrl}/console/#code=${made.code}`;
  if (json) printJson({ url, ...made });
  else print(url);
}
