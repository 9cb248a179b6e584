import { join } from 'node:path';
import { announce } from './announce.ts';
import { LAST_BACKUP } from './backup.ts';
import { fillCompileCache } from './compile-cache.ts';
import { type DataDir, takeDataDir } from './data-dir.ts';
import { loadSecrets } from './files/secrets.ts';
import type { ServiceName } from './layout.ts';
import { needPrometheus } from './monitoring/find-prometheus.ts';
import { type PrometheusServer, startPrometheus } from './monitoring/prometheus.ts';
import { DEFAULT_PORT, type StartOptions } from './options.ts';
import { Child } from './processes/child.ts';
import { freePort, portIsFree } from './processes/ports.ts';
import { supervise } from './processes/supervise.ts';
import type { Progress } from './report/progress.ts';
import { StartError } from './report/start-error.ts';
import { loginLink, seed } from './seed/seed.ts';
import { givenServers, type Servers, startServers } from './servers/start.ts';
import { type Services, startServices } from './services.ts';
import { removeStackFile, type StackFile, writeStackFile } from './stack-file.ts';

const HOST = '127.0.0.1';
/** For what was started before a start failed or was aborted. */
const ABORT_GRACE_MS = 5_000;

export interface RunningStack {
  stop(): Promise<void>;
}

/**
 * Starts everything and announces it. If anything fails, nothing that it started remains.
 * @param howToStop the last line of the announcement
 */
export async function startStack(options: StartOptions, progress: Progress, howToStop: string): Promise<RunningStack> {
  const dataDir = takeDataDir(options.dataDir);
  try {
    removeStackFile(dataDir.path);
    return await startIn(dataDir, options, progress, howToStop);
  } catch (error) {
    await Child.stopAll(ABORT_GRACE_MS);
    dataDir.release();
    throw error;
  }
}

/** Makes a start in progress fail soon. */
export function abortStart(): void {
  void Child.stopAll(ABORT_GRACE_MS);
}

async function startIn(
  dataDir: DataDir,
  options: StartOptions,
  progress: Progress,
  howToStop: string,
): Promise<RunningStack> {
  const startedAtMs = Date.now();
  const port = await choosePort(options.port, progress);
  const secrets = loadSecrets(dataDir.path, process.env);
  const [servers] = await Promise.all([
    startServers({ dataDir: dataDir.path, progress, given: givenServers(process.env) }),
    fillCompileCache(),
  ]);
  const services = await progress.step('Starting the services', async () =>
    startServices({
      urls: servers.urls,
      secrets,
      replicas: options.replicas,
      env: { LAST_BACKUP_FILE: join(dataDir.path, LAST_BACKUP), ...process.env },
      // Known before the gateway listens: other services tell people where that is.
      port: port || (await freePort()),
      host: HOST,
      dataDir: dataDir.path,
    }),
  );
  const [baseUrl, ...moreGateways] = services.of('gateway').map(({ publicUrl }) => publicUrl as string);
  if (baseUrl === undefined) throw new Error('There is no gateway.');
  const seeded = await progress.step('Preparing the data', () =>
    seed(dataDir.path, baseUrl, servers.urls.rabbitmq, secrets, process.env.WORKTRACK_API_KEY),
  );

  const prometheus = options.monitoring ? await startMonitoring(dataDir.path, services, progress) : undefined;

  const describe = () => {
    prometheus?.collectFrom(services.replicas);
    const urls = { ...servers.urls, ...(prometheus && { prometheus: prometheus.url }) };
    const pids = { ...processIds(servers, services), prometheus: prometheus?.part.pid };
    writeStackFile(dataDir.path, { ...seeded, baseUrl, urls, pids });
  };
  const parts = [
    ...[servers.rabbitmq, servers.redis, servers.mongodb].flatMap(({ part }) => (part ? [part] : [])),
    ...services.replicas.map(({ part }) => part),
    ...(prometheus ? [prometheus.part] : []),
  ];
  const supervisions = parts.map((part) => supervise(part, progress, describe));
  describe();
  announce(progress, {
    baseUrl,
    moreGateways,
    seed: seeded,
    loginLink: seeded.works ? await loginLink(baseUrl, seeded) : undefined,
    dataDir: dataDir.path,
    prometheusUrl: prometheus?.url,
    tookMs: Date.now() - startedAtMs,
    howToStop,
  });

  return {
    async stop() {
      for (const end of supervisions) end();
      removeStackFile(dataDir.path);
      await prometheus?.part.stop();
      await progress.step('Stopping the services', () => services.stop());
      await progress.step('Stopping the servers', () => servers.stop());
      dataDir.release();
    },
  };
}

async function startMonitoring(dataDir: string, services: Services, progress: Progress): Promise<PrometheusServer> {
  const { prometheus } = await needPrometheus(progress);
  const log = join(dataDir, 'logs', 'prometheus.log');
  return await progress.step('Starting Prometheus', () =>
    startPrometheus(prometheus, join(dataDir, 'prometheus'), log, services.replicas),
  );
}

async function choosePort(wanted: number | undefined, progress: Progress): Promise<number> {
  const port = wanted ?? DEFAULT_PORT;
  if (port === 0 || (await portIsFree(port, HOST))) return port;
  if (wanted !== undefined) {
    throw new StartError(
      `Port ${port} is taken by another program. Choose another with --port, or --port 0 for any free one.`,
    );
  }
  progress.line(`Port ${port} is taken by another program: taking a free one (--port chooses).`);
  return 0;
}

function processIds(servers: Servers, services: Services): StackFile['pids'] {
  const of = (service: ServiceName) => services.of(service).map(({ part }) => part.pid);
  return {
    gateway: of('gateway'),
    keys: of('keys'),
    feedback: of('feedback'),
    events: of('events'),
    workitems: of('workitems'),
    rabbitmq: servers.rabbitmq.part?.pid,
    redis: servers.redis.part?.pid,
    mongodb: servers.mongodb.part?.pid,
  };
}
