import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { startTracing, tracing } from '../tracing/tracing.ts';
import { createLog } from './logging.ts';
import { registry } from './metrics.ts';
import { releaseStartupMemory } from './release-startup-memory.ts';

/** How long a shutdown may take before the process exits anyway: below the 30 s that Kubernetes and the usual Compose settings allow. */
const STOP_DEADLINE_MS = 25_000;

/** `undefined`: healthy; a string names the fault; `degraded`: a dependency is missing that the process can work without. */
export type State = string | { readonly degraded: string } | undefined;
export type Check = () => Promise<State> | State;

export interface ServiceProcess {
  readonly log: Logger;
  /** Part of readiness, by dependency name (`rabbitmq`, `mongodb`). */
  check(need: string, check: Check): void;
  /** Run at shutdown in reverse order of registration, since later parts depend on earlier ones. */
  onStop(stop: () => Promise<void>): void;
  /** What `/health/ready` on the ops port returns, for a process that also serves it on its public port. */
  readiness(): Promise<Readiness>;
}

export interface ProcessReport {
  readonly type: 'started';
  readonly opsPort: number;
  /** What `start` returned: the gateway's public port, for example. */
  readonly [detail: string]: unknown;
}

/**
 * Runs a service until SIGTERM or SIGINT: log, health and metrics on the ops port, readiness from the dependency checks, graceful shutdown.
 * Under a parent with an IPC channel it reports its chosen ports, once `start` has completed.
 */
export async function runService(
  name: string,
  settings: { readonly LOG_LEVEL: string; readonly OPS_PORT: number; readonly OPS_HOST: string },
  start: (service: ServiceProcess) => Promise<Record<string, unknown> | undefined>,
): Promise<void> {
  const log = createLog(name, settings.LOG_LEVEL);
  const checks = new Map<string, Check>();
  const stops: (() => Promise<void>)[] = [];
  let phase: 'starting' | 'running' | 'stopping' = 'starting';

  async function stop(reason: string): Promise<void> {
    if (phase === 'stopping') return;
    phase = 'stopping';
    log.info({ reason }, 'Stopping');
    setTimeout(() => {
      log.error({}, 'The shutdown took too long; exiting with work in progress');
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    let failed = false;
    for (const step of stops.reverse()) {
      try {
        await step();
      } catch (error) {
        failed = true;
        log.error({ error }, 'A shutdown step failed');
      }
    }
    await tracing?.stop().catch((error: unknown) => log.warn({ error }, 'The last traces could not be sent'));
    ops.close();
    log.info({}, 'Stopped');
    process.exit(failed ? 1 : 0);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // The parent that started it, and would stop it, is gone: nobody knows about this process any more.
  process.once('disconnect', () => void stop('The parent process is gone'));
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'Uncaught exception');
    process.exit(1);
  });

  const ops = createServer(async (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/metrics') {
      response.setHeader('content-type', registry.contentType);
      response.end(await registry.metrics());
    } else if (path === '/health/live') {
      response.setHeader('content-type', 'application/json');
      response.end('{"status":"live"}');
    } else if (path === '/health/ready') {
      const readiness = await readinessOf(phase, checks);
      response.statusCode = readiness.ready ? 200 : 503;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(readiness));
    } else {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    ops.once('error', reject);
    ops.listen(settings.OPS_PORT, settings.OPS_HOST, resolve);
  });
  const opsPort = (ops.address() as AddressInfo).port;
  log.info({ opsPort }, 'Starting');

  try {
    await startTracing(name, log);
    const details = await start({
      log,
      check: (need, check) => void checks.set(need, check),
      onStop: (step) => void stops.push(step),
      readiness: () => readinessOf(phase, checks),
    });
    releaseStartupMemory();
    if (phase === 'starting') phase = 'running';
    log.info({ opsPort, ...details }, 'Started');
    process.send?.({ type: 'started', opsPort, ...details } satisfies ProcessReport);
  } catch (error) {
    log.fatal({ error }, 'The start failed');
    process.exit(1);
  }
}

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is missing, by dependency; `degraded: …` if the process can work without it. */
  readonly needs: Readonly<Record<string, string>>;
}

export async function readinessOf(
  phase: 'starting' | 'running' | 'stopping',
  checks: ReadonlyMap<string, Check>,
): Promise<Readiness> {
  const states = await Promise.all([...checks].map(async ([need, check]) => [need, await check()] as const));
  const needs: Record<string, string> = {};
  let ready = phase === 'running';
  for (const [need, state] of states) {
    needs[need] = typeof state === 'object' ? `degraded: ${state.degraded}` : (state ?? 'ok');
    if (typeof state === 'string') ready = false;
  }
  if (phase !== 'running') needs.process = phase;
  return { ready, needs };
}
