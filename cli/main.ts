import { Command, CommanderError } from 'commander';
import { keyCommand } from './commands/key.ts';
import { mcpCommand } from './commands/mcp.ts';
import { orgCommand } from './commands/org.ts';
import { sourceCommand } from './commands/source.ts';
import { userCommand } from './commands/user.ts';
import { EXIT, Failure } from './failure.ts';

const HELP = `
Which service: WORKTRACK_URL and WORKTRACK_API_KEY, else config.json in the system's configuration folder, else the local stack that \`npm start\` runs.
\`worktrack org\` talks to the broker at RABBITMQ_URL under RPC_SECRETS_KEYS, else to that of the local stack.
Ends with 0, or with ${EXIT.refused} when the service refuses, ${EXIT.usage} when the command is wrong, ${EXIT.unreachable} when the service does not answer.`;

const program = new Command('worktrack')
  .description('organizations, users, API keys and feedback sources of a worktrack service')
  .addHelpText('after', HELP)
  .configureHelp({ showGlobalOptions: true })
  .showSuggestionAfterError();
for (const command of [orgCommand(), userCommand(), keyCommand(), sourceCommand(), mcpCommand()])
  program.addCommand(command);
throwInsteadOfExit(program);

// Who reads the output has enough of it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** @returns the exit code */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage; // It has printed its line.
  if (error instanceof Failure) {
    console.error(`error: ${error.message}`);
    return error.exitCode;
  }
  throw error;
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}
