import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateDirectory } from '../files/make-directory.ts';
import { writePrivate } from '../files/private-file.ts';
import { Child } from '../processes/child.ts';
import { findProgram } from '../processes/find-program.ts';
import { freePort } from '../processes/ports.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import { type Credentials, USER } from './credentials.ts';
import { followMovedQueues } from './moved-queues.ts';
import { probe } from './probe.ts';
import { type ServerKind, serverEnvironment } from './server.ts';

/** Distribution needs no name service (see launch), so any number of nodes with this name can run on one machine. */
const NODE = 'worktrack@localhost';
const HOST = '127.0.0.1';
/** It starts in five seconds, and took more than 90 where 40 processes waited for two cores. One that ends is noticed at once. */
const START_TIMEOUT_MS = 240_000;
/**
 * What quorum queues write is kept in memory, too, until a file of their log is full, also what was taken from them long ago. With RabbitMQ's 512 MiB the broker grew from 123 to 593 MiB
 * by 400 MiB of events, and with this to 191.
 */
export const WAL_MAX_BYTES = 32 * 1024 ** 2;
/**
 * The same for RabbitMQ 4.3, which no longer asks `raft.wal_max_size_bytes` for quorum queues. On the command line, where any version takes it: earlier ones
 * do not start with `quorum_queue.wal_max_size_bytes` in their configuration.
 */
export const WAL_MAX_ARGS = `-rabbit quorum_wal_max_size_bytes ${WAL_MAX_BYTES}`;
/** The protocol header of AMQP 0-9-1 (section 4.2.2 of its specification); a broker that is ready answers with a method frame. */
const PROTOCOL_HEADER = 'AMQP\x00\x00\x09\x01';
const METHOD_FRAME = 1;

/** Debian's `rabbitmq-server` on the PATH is a wrapper that changes to the user of the system service; what it calls is next to it. */
export function findRabbitmq(): string | undefined {
  const found = findProgram('rabbitmq-server');
  if (!found) return undefined;
  const real = realpathSync(found);
  return basename(real) === 'rabbitmq-script-wrapper' ? join(dirname(real), 'rabbitmq-server') : real;
}

/**
 * @param program from findRabbitmq
 * @param vhosts in addition to `/`
 */
export function rabbitmqKind(
  program: string,
  dataDir: string,
  logFile: string,
  { rabbitmqPassword, erlangCookie }: Pick<Credentials, 'rabbitmqPassword' | 'erlangCookie'>,
  vhosts: readonly string[],
): ServerKind {
  makePrivateDirectory(dataDir);
  return {
    name: 'RabbitMQ',
    pidFile: join(dataDir, 'pid'),
    startTimeoutMs: START_TIMEOUT_MS,
    url: (port) => `amqp://${USER}:${rabbitmqPassword}@${HOST}:${port}`,
    probe: probeRabbitmq,
    async launch(port) {
      followMovedQueues(join(dataDir, 'mnesia'));
      const distributionPort = await freePort();
      const write = (name: string, text: string) => writePrivate(join(dataDir, name), text);
      write('definitions.json', JSON.stringify(definitions(vhosts, rabbitmqPassword)));
      write('rabbitmq.conf', configuration(port, join(dataDir, 'definitions.json')));
      write('enabled_plugins', '[].\n');
      write('control.json', JSON.stringify({ distributionPort }));
      // Erlang would otherwise generate one, from the time of day among other things.
      write('.erlang.cookie', erlangCookie);
      return await Child.start({
        name: 'RabbitMQ',
        command: program,
        args: [],
        cwd: dataDir,
        logFile,
        env: {
          ...serverEnvironment(),
          HOME: dataDir,
          RABBITMQ_CONF_ENV_FILE: '/dev/null',
          RABBITMQ_CONFIG_FILE: join(dataDir, 'rabbitmq.conf'),
          RABBITMQ_ENABLED_PLUGINS_FILE: join(dataDir, 'enabled_plugins'),
          RABBITMQ_MNESIA_BASE: join(dataDir, 'mnesia'),
          RABBITMQ_LOG_BASE: join(dataDir, 'log'),
          RABBITMQ_NODENAME: NODE,
          // Started with distribution, the node skips its own setup of it: no epmd is started, which would outlive us, and no
          // second Erlang VM to start that. With a fixed port the node listens on it and looks up no name.
          RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `-sname ${NODE} -start_epmd false -erl_epmd_port ${distributionPort} -dist_listen true -kernel inet_dist_use_interface {127,0,0,1} ${WAL_MAX_ARGS}`,
          // Each minute the node checks on epmd all the same, with a second Erlang VM, which starts it like any VM with a name. That
          // one inherits these and does without. (The node itself listens: if this flag is given twice, the first is used.)
          ERL_ZFLAGS: '-start_epmd false -dist_listen false',
          // The start script becomes the broker, instead of staying as its parent.
          detached: 'true',
        },
      });
    },
  };
}

/** Resolves when a broker on this port accepts connections. */
export function probeRabbitmq(port: number): Promise<void> {
  return probe(port, PROTOCOL_HEADER, (answer) => answer[0] === METHOD_FRAME);
}

function configuration(port: number, definitionsFile: string): string {
  return [
    `listeners.tcp.1 = ${HOST}:${port}`,
    `load_definitions = ${definitionsFile}`,
    `raft.wal_max_size_bytes = ${WAL_MAX_BYTES}`,
    'log.file = false',
    'log.console = true',
    'log.console.level = warning',
    '',
  ].join('\n');
}

/**
 * What a broker must have after each start: one user and, besides `/`, these virtual hosts. `guest`, whose password everybody knows, exists in the
 * data of versions that used it: it can no longer log in (an empty hash matches no password), and has no permissions.
 */
export function definitions(vhosts: readonly string[], password: string): object {
  const names = ['/', ...vhosts];
  const permissions = (user: string, which: string) =>
    names.map((vhost) => ({ user, vhost, configure: which, write: which, read: which }));
  return {
    users: [
      { name: USER, password, tags: ['administrator'] },
      { name: 'guest', password_hash: '', tags: [] },
    ],
    vhosts: names.map((name) => ({ name })),
    permissions: [...permissions(USER, '.*'), ...permissions('guest', '^$')],
  };
}

/**
 * Runs `rabbitmqctl` against a broker that this module started.
 * @param dataDir that broker's
 * @returns what it printed
 */
export async function rabbitmqctl(program: string, dataDir: string, args: readonly string[]): Promise<string> {
  const { distributionPort } = JSON.parse(readFileSync(join(dataDir, 'control.json'), 'utf8')) as {
    distributionPort: number;
  };
  const env = {
    ...serverEnvironment(),
    HOME: dataDir,
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CTL_ERL_ARGS: `-start_epmd false -erl_epmd_port ${distributionPort} -dist_listen false`,
  };
  const command = join(dirname(program), 'rabbitmqctl');
  const { ok, output } = await runToEnd(command, ['--node', NODE, ...args], env, dataDir);
  if (!ok) throw new Error(`rabbitmqctl ${args.join(' ')} failed: ${output}`);
  return output;
}
