import { backUp, restore } from './backup.ts';
import { detachedSink, isDetached, reportReady, startDetached } from './detach.ts';
import {
  BACKUP_HELP,
  parseBackup,
  parseRestore,
  parseStart,
  parseStop,
  RESTORE_HELP,
  START_HELP,
  STOP_HELP,
  stopCommand,
} from './options.ts';
import { Progress } from './report/progress.ts';
import { StartError } from './report/start-error.ts';
import { abortStart, type RunningStack, startStack } from './start.ts';
import { stopStack } from './stop.ts';

const [command, ...args] = process.argv.slice(2);
const progress = new Progress(isDetached ? detachedSink : process.stdout);

async function start(): Promise<number> {
  const options = parseStart(args);
  if (options === 'help') {
    console.log(START_HELP);
    return 0;
  }
  if (options.detach && !isDetached) return await startDetached(args, options.dataDir);

  const interrupted = new Promise<void>((resolve) => {
    // Ctrl-C comes more than once: from the terminal, and again from npm.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  let broken = false;
  let stack: RunningStack | undefined;
  void interrupted.then(() => {
    broken = true;
    if (!stack) abortStart();
  });
  try {
    stack = await startStack(
      options,
      progress,
      isDetached ? `${stopCommand(options.dataDir)} stops it.` : 'Ctrl-C stops it.',
    );
  } catch (error) {
    if (!broken) throw error;
    progress.line('Stopped before it was ready.');
    return 1;
  }
  if (isDetached) reportReady();
  await interrupted;
  await stack.stop();
  progress.line('Stopped.');
  return 0;
}

async function stop(): Promise<number> {
  const options = parseStop(args);
  if (options === 'help') console.log(STOP_HELP);
  else await stopStack(options.dataDir, progress);
  return 0;
}

async function packAll(): Promise<number> {
  const options = parseBackup(args);
  if (options === 'help') console.log(BACKUP_HELP);
  else await backUp(options.dataDir, options.file, progress);
  return 0;
}

async function unpackAll(): Promise<number> {
  const options = parseRestore(args);
  if (options === 'help') console.log(RESTORE_HELP);
  else await restore(options.file, options.dataDir, progress);
  return 0;
}

const commands: Readonly<Record<string, () => Promise<number>>> = { start, stop, backup: packAll, restore: unpackAll };

try {
  const run = commands[command ?? ''];
  if (!run) throw new StartError(`There is no command "${command}": use ${Object.keys(commands).join(', ')}.`);
  process.exit(await run());
} catch (error) {
  progress.line(error instanceof StartError ? error.message : `worktrack failed: ${(error as Error).stack}`);
  process.exit(1);
}
