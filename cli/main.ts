import { orgCommand } from './commands/access/org.ts';
import { commandsWithKey, WHICH_SERVICE } from './commands.ts';
import { run } from './program.ts';

await run(
  { org: orgCommand, ...commandsWithKey },
  'work items, projects, feedback, organizations, users, API keys, feedback sources and events of a worktrack service',
  [
    WHICH_SERVICE,
    '`worktrack org` talks to the broker at RABBITMQ_URL under RPC_SECRETS_KEYS, else to that of the local stack.',
  ],
);
