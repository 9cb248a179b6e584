import { join } from 'node:path';
import { buildOneFile } from '@worktrack/cli/one-file/build';
import { buildConsole } from '@worktrack/console/build/build';
import { buildWidget } from '@worktrack/widget/build/build';
import { COMPILE_CACHE } from './compile-cache.ts';
import { SECRET_NAMES, type Secrets } from './files/secrets.ts';
import { REPOSITORY, SERVICES, type ServiceName } from './layout.ts';
import { Child } from './processes/child.ts';
import { Part } from './processes/part.ts';
import { yieldCpu } from './processes/priority.ts';
import { untilReady } from './processes/until-ready.ts';
import { StartError } from './report/start-error.ts';
import type { ServerUrls } from './servers/start.ts';

/** Each service gets the secrets that it uses. */
const SECRETS_OF: Readonly<Record<ServiceName, readonly (keyof Secrets)[]>> = {
  keys: ['KEY_PEPPER', 'RPC_SECRETS_KEYS', 'EVENT_SECRETS'],
  workitems: ['RPC_SECRETS_WORKITEMS', 'EVENT_SECRETS'],
  feedback: ['WIDGET_TOKEN_SECRETS', 'RPC_SECRETS_FEEDBACK', 'EVENT_SECRETS'],
  events: ['RPC_SECRETS_EVENTS', 'EVENT_SECRETS', 'WEBHOOK_SECRETS', 'AUDIT_SIGNING_KEYS', 'VAPID_KEYS'],
  gateway: [
    'WIDGET_TOKEN_SECRETS',
    'IP_HASH_SECRET',
    'RPC_SECRETS_KEYS',
    'RPC_SECRETS_WORKITEMS',
    'RPC_SECRETS_FEEDBACK',
    'RPC_SECRETS_EVENTS',
    'EVENT_SECRETS',
  ],
};

/**
 * Where everything shares one machine, submissions and the inbox give way to people and agents at work. In a burst of submissions the feedback service computes
 * all the time, and a work item call would wait for a CPU behind it at each of its ten hops. On 2 cores this takes the p99 of those calls
 * (`npm run bench -- burst`) from 22 to 18 ms; without the gateway's bulkhead (feedback/limits/bulkhead.ts) from 110 to 63 ms.
 */
const NICENESS: Partial<Record<ServiceName, number>> = { feedback: 10 };

/**
 * Room for new objects, in MiB: V8 takes up to three times this much. After 20 000 small responses the gateway and workitems keep 20 MiB more than with 4, for
 * 8 % less CPU. With V8's default of 16 they keep 80 MiB more for 15 %, and 250 MiB more after lists (`npm run bench -- work-items`). The Dockerfile has the
 * same value.
 */
const NODE_FLAGS = ['--max-semi-space-size=8'];

const START_TIMEOUT_MS = 60_000;
/** Above the time limit that a service sets itself (libs/runtime/process/service.ts). */
const STOP_GRACE_MS = 30_000;

/** One running replica of a service. */
export interface ServiceReplica {
  readonly service: ServiceName;
  readonly part: Part;
  /** Health and metrics. A different one after a restart. */
  readonly opsUrl: string;
  /** The gateway's. The same after a restart. */
  readonly publicUrl: string | undefined;
}

export interface ServicesOptions {
  readonly urls: ServerUrls;
  readonly secrets: Secrets;
  /** What the gateway serves is there: who starts several systems builds it once. */
  readonly isBuilt?: boolean;
  /** Default: one of each. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  /** Passed on to every service; what the stack itself decides takes precedence. */
  readonly env: NodeJS.ProcessEnv;
  /** Added to it for one service, for a test in which one gets what the others do not. */
  readonly envOf?: (id: string) => NodeJS.ProcessEnv;
  /** What Node is given. Default: the service's sources. For tests, which start hundreds and bundle them first. */
  readonly argsOf?: (service: ServiceName) => readonly string[];
  /** What runs one service instead of this Node, for a test in which it sees another disk. */
  readonly nodeOf?: (id: string) => string | undefined;
  /** Default: a minute. Longer for a test in which what a service needs is away. */
  readonly startTimeoutMs?: number;
  /** By how much services yield CPU to the others. Default: the feedback service, by 10. */
  readonly niceness?: Partial<Record<ServiceName, number>>;
  /** The first gateway's; 0 takes a free one, as every other gateway does. */
  readonly port: number;
  readonly host: string;
  /** For `logs/` and the process ids. */
  readonly dataDir: string;
}

export interface Services {
  readonly replicas: readonly ServiceReplica[];
  of(service: ServiceName): readonly ServiceReplica[];
  /** Gateways first, so that nothing more arrives; then the services behind them. */
  stop(): Promise<void>;
  discard(): Promise<void>;
}

/** Builds what the gateway serves. It takes some 0.5 s, too little to be worth finding out whether it is needed. */
export async function buildServed(): Promise<void> {
  await Promise.all([buildConsole(), buildWidget(), buildOneFile()]);
}

/** Starts all replicas at once and waits until each is ready. If one fails, none stays. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  if (!options.isBuilt) await buildServed();
  const starts = SERVICES.flatMap((service) =>
    Array.from({ length: options.replicas?.[service] ?? 1 }, (_, index) => startReplica(service, index, options)),
  );
  const outcomes = await Promise.allSettled(starts);
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await Promise.all(started.map(({ part }) => part.stop()));
    throw failure.reason;
  }
  const of = (service: ServiceName) => started.filter((replica) => replica.service === service);
  return {
    replicas: started,
    of,
    async stop() {
      await Promise.all(of('gateway').map(({ part }) => part.stop()));
      await Promise.all(started.filter(({ service }) => service !== 'gateway').map(({ part }) => part.stop()));
    },
    async discard() {
      await Promise.all(started.map(({ part }) => part.kill()));
    },
  };
}

/** What a service reports once it is up (libs/runtime/process/service.ts); `port` is the gateway's. */
interface Report {
  readonly type: 'started';
  readonly opsPort: number;
  readonly port?: number;
}

async function startReplica(service: ServiceName, index: number, options: ServicesOptions): Promise<ServiceReplica> {
  const id = index === 0 ? service : `${service}-${index + 1}`;
  let publicPort = index === 0 ? options.port : 0;
  let opsPort = 0;

  const part = await Part.start({
    name: id,
    pidFile: join(options.dataDir, 'run', `${id}.pid`),
    stopGraceMs: STOP_GRACE_MS,
    async launch(started) {
      const child = await Child.start({
        name: id,
        command: options.nodeOf?.(id) ?? process.execPath,
        args: [...NODE_FLAGS, ...(options.argsOf?.(service) ?? [join(REPOSITORY, 'services', service, 'main.ts')])],
        cwd: REPOSITORY,
        env: { ...environment(service, publicPort, options), ...options.envOf?.(id) },
        logFile: join(options.dataDir, 'logs', `${id}.log`),
        ipc: true,
      });
      started?.(child);
      try {
        const report = await reported(child);
        opsPort = report.opsPort;
        await untilReady(child, () => requireReady(opsPort), options.startTimeoutMs ?? START_TIMEOUT_MS);
        // Not before: startup should not be delayed.
        const niceness = (options.niceness ?? NICENESS)[service];
        if (niceness !== undefined) await yieldCpu(child.pid, niceness);
        publicPort = report.port ?? publicPort;
        return child;
      } catch (error) {
        await child.kill();
        throw error;
      }
    },
  });
  return {
    service,
    part,
    get opsUrl() {
      return `http://127.0.0.1:${opsPort}`;
    },
    publicUrl: service === 'gateway' ? `http://${options.host}:${publicPort}` : undefined,
  };
}

function reported(child: Child): Promise<Report> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        finish(() =>
          reject(
            new StartError(`${child.name} did not start within ${START_TIMEOUT_MS / 1000} s. ${child.describeExit()}`),
          ),
        ),
      START_TIMEOUT_MS,
    );
    const onMessage = (message: unknown) => {
      if ((message as Partial<Report>)?.type === 'started') finish(() => resolve(message as Report));
    };
    const finish = (act: () => void) => {
      clearTimeout(timer);
      child.process.off('message', onMessage);
      act();
    };
    child.process.on('message', onMessage);
    void child.exited.then(() => finish(() => reject(new StartError(child.describeExit()))));
  });
}

/** Ready is more than started: everything it needs is there too. */
async function requireReady(opsPort: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/health/ready`);
  const body = await response.text();
  if (!response.ok) throw new Error(body);
}

/** A service gets its own below, wherever they come from. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set<string>(SECRET_NAMES);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

function environment(service: ServiceName, port: number, options: ServicesOptions): NodeJS.ProcessEnv {
  const { urls, secrets, env } = options;
  const shared = {
    ...withoutSecrets(env),
    RABBITMQ_URL: urls.rabbitmq,
    REDIS_URL: urls.redis,
    MONGODB_URL: urls.mongodb,
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
  const own = Object.fromEntries(SECRETS_OF[service].map((name) => [name, secrets[name]]));
  return { ...shared, ...own, ...placeOf(service, port, options) };
}

/** Where the gateway listens, and where the services say that it does that tell others, if the port is known and nothing else was set. */
function placeOf(
  service: ServiceName,
  port: number,
  { host, port: firstPort, env }: ServicesOptions,
): NodeJS.ProcessEnv {
  if (service === 'gateway') return { HOST: host, PORT: `${port}` };
  if ((service !== 'keys' && service !== 'events') || firstPort === 0 || env.PUBLIC_URL) return {};
  return { PUBLIC_URL: `http://${host.includes(':') ? `[${host}]` : host}:${firstPort}` };
}
