import { join } from 'node:path';
import { loadSecrets, type Secrets } from '@worktrack/stack/files/secrets';
import type { ServiceName } from '@worktrack/stack/layout';
import { Progress } from '@worktrack/stack/report/progress';
import { type Servers, type ServerUrls, startServers } from '@worktrack/stack/servers/start';
import { type Services, startServices } from '@worktrack/stack/services';
import { bundled } from './bundled-services.ts';
import type { Lease } from './lease.ts';
import { IN_CONTAINERS } from './test-stack.ts';

/**
 * Tests of other things make many requests at once, on machines that may take more than 5 s for them, and from one address, many of them to be
 * refused. What the limits do is tested on systems that set them.
 */
const NO_LIMITS = {
  FEEDBACK_REFUSALS_PER_IP: '1000000',
  UNKNOWN_KEYS_PER_IP: '1000000',
  TOKEN_REQUESTS_PER_IP: '1000000',
  CALLS_PER_ORGANIZATION: '1000000',
  CALLS_PER_KEY: '1000000',
  CALLS_BESIDE_OTHERS: '1000000',
  CALLS_AT_ONCE: '1000000',
};

export interface SystemOptions {
  /** Default: one process of each service. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  /** Added to the environment of every service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Added to the environment of one replica: `keys` is the first of that service, `keys-2` the second. */
  readonly envOf?: (id: string) => Readonly<Record<string, string>>;
  /** What runs one replica instead of Node. */
  readonly nodeOf?: (id: string) => string | undefined;
  /** How long a replica may take to be ready. */
  readonly startTimeoutMs?: number;
  /** Those that only this system uses, for a test that kills or freezes them. Their start takes CPU: RabbitMQ's 5 s, the database's 1.5 s. */
  readonly ownServers?: readonly (keyof ServerUrls)[];
  /** Servers that the test runs itself. */
  readonly urls?: Partial<ServerUrls>;
  /** Of a system whose other services these gateways are for. */
  readonly before?: Pick<RunningSystem, 'secrets' | 'databasePrefix'>;
}

export interface RunningSystem {
  /** The base addresses of all gateways. */
  readonly gateways: readonly string[];
  readonly urls: ServerUrls;
  readonly databasePrefix: string;
  /** With which the services run. */
  readonly secrets: Secrets;
  /** Each replica can be killed, frozen (`part.kill('SIGSTOP')`) and restarted. */
  readonly services: Services;
  /** With `ownServers`: each can be killed, frozen and restarted as well. */
  readonly servers: Servers | undefined;
  /** Holds `logs/`. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Endpoints of tests are on this machine. */
const LOCAL_ENDPOINTS = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  NOTIFICATION_ALLOWED_NETWORKS: '127.0.0.1',
  // Nothing listens there, and no test waits for what is sent.
  SMTP_URL: 'smtp://127.0.0.1:9',
  OIDC_ALLOWED_NETWORKS: '127.0.0.1',
  OAUTH_CLIENT_ALLOWED_NETWORKS: '127.0.0.1',
};

/** From its sources a service that uses the database refuses what MongoDB would refuse, as it does bundled (bundled-services.ts). */
function watchedEnvironment(id: string): NodeJS.ProcessEnv {
  if (id.startsWith('gateway')) return {};
  const watched = new URL('../mongodb/watched-service.ts', import.meta.url).href;
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${watched}` };
}

/** The real services as separate processes, on a part of the real servers. What the gateway serves was built before (TestRun.buildServed). */
export async function runSystem(lease: Lease, options: SystemOptions): Promise<RunningSystem> {
  const folder = join(lease.folder, 'system');
  if (options.ownServers && IN_CONTAINERS) {
    throw new Error('Servers of its own are processes: name this test in TESTS_WITH_OWN_PROCESSES (test-stack.ts).');
  }
  const progress = new Progress(process.stderr);
  const given: Partial<ServerUrls> = { redis: lease.redisUrl, mongodb: lease.mongodbUrl, ...options.urls };
  const ofOthers = { ...given, ...Object.fromEntries((options.ownServers ?? []).map((name) => [name, undefined])) };
  const servers = options.ownServers ? await startServers({ dataDir: folder, progress, given: ofOthers }) : undefined;
  const { rabbitmq, redis, mongodb } = servers?.urls ?? given;
  if (!rabbitmq || !redis || !mongodb) throw new Error('A system needs a broker: its own, or a virtual host.');
  const urls = { rabbitmq, redis, mongodb };
  const { secrets, databasePrefix } = options.before ?? {
    secrets: loadSecrets(folder, {}),
    databasePrefix: lease.databasePrefix,
  };
  // Its traces are made in the modules of the driver (libs/runtime/tracing/database-commands.ts), of which a bundle has copies.
  const isTraced = options.env?.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined;
  const services = await startServices({
    urls,
    secrets,
    isBuilt: true,
    replicas: options.replicas,
    env: {
      ...process.env,
      MONGODB_DATABASE_PREFIX: databasePrefix,
      ...NO_LIMITS,
      ...LOCAL_ENDPOINTS,
      // The tests' browser does not compile what it runs (chromium-in.ts): by script, the usual number takes it up to a minute.
      ALTCHA_COUNTERS: '60',
      ...options.env,
    },
    ...(!isTraced && { argsOf: bundled }),
    envOf: (id) => ({ ...(isTraced && watchedEnvironment(id)), ...options.envOf?.(id) }),
    ...(options.nodeOf && { nodeOf: options.nodeOf }),
    ...(options.startTimeoutMs && { startTimeoutMs: options.startTimeoutMs }),
    // On a machine that runs other tests too, a service that yields may get no CPU within a deadline.
    niceness: {},
    port: 0,
    host: '127.0.0.1',
    dataDir: folder,
  });
  return {
    gateways: services.of('gateway').map(({ publicUrl }) => publicUrl as string),
    urls,
    databasePrefix,
    secrets,
    services,
    servers,
    folder,
    async stop() {
      // The data are the run's, which removes them: nobody needs them to be intact.
      await services.discard();
      await servers?.discard();
    },
  };
}
