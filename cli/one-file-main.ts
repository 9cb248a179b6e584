import { commandsWithKey, WHICH_SERVICE } from './commands.ts';
import { run } from './program.ts';

// Without `org`, which talks to the broker of whoever operates the service.
await run(
  commandsWithKey,
  'work items, projects, feedback, users, API keys, feedback sources and events of a worktrack service',
  [WHICH_SERVICE],
);
