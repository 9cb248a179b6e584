import { Command, CommanderError } from 'commander';
import { EXIT, Failure } from './failure.ts';
import { withKebabCase } from './flags.ts';
import { printProblem } from './output.ts';
import manifest from './package.json' with { type: 'json' };

const VERSION: string = manifest.version;

/** By their names. */
export type Commands = Readonly<Record<string, () => Command>>;

/** Runs the command line of this process. */
export async function run(commands: Commands, description: string, help: readonly string[]): Promise<void> {
  const ends = `Exits with 0, or with ${EXIT.refused} if the service refuses, ${EXIT.usage} if the command line or the configuration is wrong, ${EXIT.unreachable} if the service does not respond, ${EXIT.nothing} if there is nothing to claim.`;
  const program = new Command('worktrack')
    .description(description)
    .version(VERSION, '--version', 'print the version')
    // `--version` after a command is an item's.
    .enablePositionalOptions()
    .addHelpText('after', ['', ...help, ends].join('\n'))
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError();
  const [name = ''] = process.argv.slice(2);
  // All are named by the help, and by what says that there is no such command.
  const asked = new Map(Object.entries(commands)).get(name);
  for (const make of asked ? [asked] : Object.values(commands)) program.addCommand(make());
  throwInsteadOfExit(program);

  // The reader has closed the output, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? undefined : report(error));
  });

  try {
    await program.parseAsync([...process.argv.slice(0, 2), ...withKebabCase(process.argv.slice(2))]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** @returns the exit code */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage; // It has printed its line.
  if (error instanceof Failure) {
    printProblem(`error: ${error.message}`);
    return error.exitCode;
  }
  // To a file on a full disk, for example. Whoever takes 1 for a refusal would do it again.
  if ((error as NodeJS.ErrnoException).syscall === 'write') {
    printProblem(`error: The command was carried out, but its output cannot be written: ${(error as Error).message}`);
    return EXIT.usage;
  }
  throw error;
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}
