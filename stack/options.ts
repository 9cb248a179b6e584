import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { shellQuoted } from '@worktrack/runtime/process/shell';
import { SERVICES, type ServiceName } from './layout.ts';
import { StartError } from './report/start-error.ts';

export const DEFAULT_PORT = 3000;
const MAX_REPLICAS = 32;

export interface StartOptions {
  /** Undefined: DEFAULT_PORT, or another one if that is taken. 0: any free one. */
  readonly port: number | undefined;
  readonly dataDir: string;
  readonly replicas: Partial<Record<ServiceName, number>>;
  readonly detach: boolean;
  /** Prometheus beside the stack. */
  readonly monitoring?: boolean;
}

const DEFAULT_DATA_DIR = '.worktrack';

export const START_HELP = `npm start -- [options]

Starts RabbitMQ, Redis and a MongoDB-compatible server (what is missing is installed, and that is said before), then the five
services, and prints where they listen. Ctrl-C stops all of it; the data stay, and the next start finds them.

  --port <n>               where the API listens; 0 takes any free port   (default: ${DEFAULT_PORT}, or another one when that is taken)
  --data-dir <folder>      where the data, logs and stack.json are kept    (default: ${DEFAULT_DATA_DIR})
  --replicas <svc>=<n>     how many processes of a service: ${SERVICES.join(', ')};
                           several by commas, as in feedback=3,workitems=2 (default: one of each)
  --monitoring             also start Prometheus with the rules in deploy/monitoring, and print its address
  --detach                 return once it is ready; \`npm run stop\` ends it
  --help

Environment: RABBITMQ_URL, REDIS_URL, MONGODB_URL name servers that run already; each one that is set is used instead of an own one.
All else in .env.example is passed on to the services.`;

export const STOP_HELP = `npm run stop -- [options]

Stops the stack that was started with --detach (or in another terminal). Its data stay.

  --data-dir <folder>      that of the stack (default: ${DEFAULT_DATA_DIR})
  --help`;

export const BACKUP_HELP = `npm run backup -- --to <file> [options]

Packs all that a stack keeps into one file (tar, gzip; mode 600): databases, messages that wait, secrets and passwords.
One that runs is paused while its files are copied (beside <file>), and goes on.

  --to <file>
  --data-dir <folder>      that of the stack (default: ${DEFAULT_DATA_DIR})
  --help`;

export const RESTORE_HELP = `npm run restore -- --from <file> [options]

Unpacks such a file into a data directory that has nothing yet; \`npm start\` then goes on from there.

  --from <file>
  --data-dir <folder>      where to (default: ${DEFAULT_DATA_DIR})
  --help`;

/** The command that stops the stack in a data directory, for display. */
export function stopCommand(dataDir: string): string {
  return isDefault(dataDir) ? '`npm run stop`' : `\`npm run stop -- --data-dir ${quoted(dataDir)}\``;
}

/** The command that makes another link to the console of that stack, for display. */
export function linkCommand(dataDir: string): string {
  const place = isDefault(dataDir) ? '' : `WORKTRACK_DATA_DIR=${quoted(resolve(dataDir))} `;
  return `\`${place}npx worktrack login-link\``;
}

const isDefault = (dataDir: string) => resolve(dataDir) === resolve(DEFAULT_DATA_DIR);
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : shellQuoted(path));

/** @returns 'help' if that was requested */
export function parseStart(args: readonly string[]): StartOptions | 'help' {
  const { values } = parse(args, 'npm start', {
    port: { type: 'string' },
    'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
    replicas: { type: 'string', multiple: true, default: [] },
    detach: { type: 'boolean', default: false },
    monitoring: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return 'help';
  return {
    port: values.port === undefined ? undefined : parsePort(values.port as string),
    dataDir: values['data-dir'] as string,
    replicas: parseReplicas(values.replicas as string[]),
    detach: values.detach as boolean,
    monitoring: values.monitoring as boolean,
  };
}

export function parseStop(args: readonly string[]): { readonly dataDir: string } | 'help' {
  const { values } = parse(args, 'npm run stop', {
    'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
    help: { type: 'boolean', default: false },
  });
  return values.help ? 'help' : { dataDir: values['data-dir'] as string };
}

interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
}

export const parseBackup = (args: readonly string[]) => parseFile(args, 'npm run backup', 'to');
export const parseRestore = (args: readonly string[]) => parseFile(args, 'npm run restore', 'from');

function parseFile(args: readonly string[], command: string, option: 'to' | 'from'): BackupOptions | 'help' {
  const { values } = parse(args, command, {
    [option]: { type: 'string' },
    'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return 'help';
  if (!values[option])
    throw new StartError(`--${option} <file> is missing. \`${command} -- --help\` lists the options.`);
  return { dataDir: values['data-dir'] as string, file: values[option] as string };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function parse(args: readonly string[], command: string, options: Options) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  } catch (error) {
    const what = (error as Error).message.split('. ', 1)[0];
    throw new StartError(`${what}. \`${command} -- --help\` lists the options.`);
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new StartError(`--port must be a number from 0 to 65535, not "${text}".`);
  return port;
}

function parseReplicas(given: readonly string[]): Partial<Record<ServiceName, number>> {
  const replicas: Partial<Record<ServiceName, number>> = {};
  for (const entry of given.flatMap((list) => list.split(','))) {
    const [, service, count] = /^([a-z]+)=(\d+)$/.exec(entry.trim()) ?? [];
    const name = SERVICES.find((candidate) => candidate === service);
    const number = Number(count);
    if (!name || number < 1 || number > MAX_REPLICAS) {
      throw new StartError(
        `--replicas must have the form feedback=3, with one of ${SERVICES.join(', ')} and a number from 1 to ${MAX_REPLICAS}, not "${entry}".`,
      );
    }
    replicas[name] = number;
  }
  return replicas;
}
