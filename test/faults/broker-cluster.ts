import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from '@worktrack/stack/processes/child';
import { freePort } from '@worktrack/stack/processes/ports';
import { findRabbitmq, probeRabbitmq } from '@worktrack/stack/servers/rabbitmq';
import { serverEnvironment, startServer } from '@worktrack/stack/servers/server';

const START_TIMEOUT_MS = 120_000;

export interface BrokerNode {
  /** As Erlang names it, and as RabbitMQ does when it says on which node a queue lives. */
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
  /** SIGKILL, as in a power cut. Resolves once it is gone. */
  kill(): Promise<void>;
  /** Resolves once it accepts connections again. */
  restart(): Promise<void>;
}

export interface BrokerCluster {
  readonly nodes: readonly BrokerNode[];
  /** For all nodes, as RABBITMQ_URL takes them. */
  readonly url: string;
  /** Runs `rabbitmqctl` against a node. @returns what it printed */
  rabbitmqctl(node: BrokerNode, args: readonly string[]): Promise<string>;
  discard(): Promise<void>;
}

/** Several RabbitMQ nodes of one cluster, on this machine, with a name service of their own. */
export async function startBrokerCluster(folder: string, names: readonly string[]): Promise<BrokerCluster> {
  const program = findRabbitmq();
  if (program === undefined) throw new Error('There is no rabbitmq-server on the PATH.');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, '.erlang.cookie'), randomBytes(16).toString('hex'), { mode: 0o400 });
  const environment = {
    ...serverEnvironment(),
    HOME: folder,
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: `${await freePort()}`,
  };
  const started: { kill(): Promise<unknown> }[] = [];
  const control = async (node: string, args: readonly string[]) => {
    const tool = join(dirname(program), 'rabbitmqctl');
    const { stdout } = await promisify(execFile)(tool, ['--quiet', '--node', node, ...args], { env: environment });
    return stdout;
  };
  const erlangNames = names.map((name) => `${name}@localhost`);

  const startNode = async (name: string): Promise<BrokerNode> => {
    const dataDir = join(folder, name);
    const logFile = join(folder, `${name}.log`);
    mkdirSync(dataDir);
    const { url, part } = await startServer({
      name: `RabbitMQ ${name}`,
      pidFile: join(dataDir, 'pid'),
      startTimeoutMs: START_TIMEOUT_MS,
      probe: probeRabbitmq,
      url: (port) => `amqp://guest:guest@127.0.0.1:${port}`,
      async launch(port) {
        writeFileSync(join(dataDir, 'rabbitmq.conf'), configuration(port, erlangNames));
        writeFileSync(join(dataDir, 'enabled_plugins'), '[].\n');
        return await Child.start({
          name: `RabbitMQ ${name}`,
          command: program,
          args: [],
          cwd: dataDir,
          logFile,
          env: {
            ...environment,
            RABBITMQ_CONFIG_FILE: join(dataDir, 'rabbitmq.conf'),
            RABBITMQ_ENABLED_PLUGINS_FILE: join(dataDir, 'enabled_plugins'),
            RABBITMQ_MNESIA_BASE: join(dataDir, 'mnesia'),
            RABBITMQ_LOG_BASE: join(dataDir, 'log'),
            RABBITMQ_NODENAME: `${name}@localhost`,
            RABBITMQ_DIST_PORT: `${await freePort()}`,
            // The start script becomes the broker, instead of remaining as its parent.
            detached: 'true',
          },
        });
      },
    });
    started.push(part);
    return { name: `${name}@localhost`, url, logFile, kill: () => part.kill(), restart: () => part.restart() };
  };

  const discard = async () => void (await Promise.all(started.map((process) => process.kill())));
  try {
    started.push(
      await Child.start({
        name: 'epmd',
        command: 'epmd',
        args: [],
        cwd: folder,
        logFile: join(folder, 'epmd.log'),
        env: environment,
      }),
    );
    // At once: since RabbitMQ 4, a node that may found the cluster waits for the others that are named.
    const starts = await Promise.allSettled(names.map(startNode));
    const nodes = starts.map((start) => {
      if (start.status === 'rejected') throw start.reason;
      return start.value;
    });
    return {
      nodes,
      url: nodes.map(({ url }) => url).join(','),
      rabbitmqctl: (node, args) => control(node.name, args),
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

function configuration(port: number, nodes: readonly string[]): string {
  return [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'log.file = false',
    'log.console = true',
    'log.console.level = warning',
    'cluster_formation.peer_discovery_backend = classic_config',
    ...nodes.map((node, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${node}`),
    '',
  ].join('\n');
}
