import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health } from '@worktrack/contracts/gateway/health';
import type { Broker } from '@worktrack/rpc/connection';
import { brokerVersion, queueLengths } from '@worktrack/rpc/queue-lengths';
import type { Readiness } from '@worktrack/runtime/process/service';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CHECK_DEADLINE_MS, NO_ANSWER, type ServiceChecks } from './checks.ts';
import { VERSION } from './version.ts';

const DEGRADED = 'degraded: ';

/** How this gateway finds everything that it depends on. */
export async function lookAtHealth(needs: {
  readonly readiness: () => Promise<Readiness>;
  readonly services: ServiceChecks;
  readonly broker: Broker;
  readonly redis: Redis;
  readonly lastBackupFile: string | undefined;
}): Promise<Health> {
  const { services, broker, redis, lastBackupFile } = needs;
  const names = Object.keys(services.checks);
  const [readiness, { queues, ...ofBroker }, lastBackup, redisVersion] = await Promise.all([
    needs.readiness(),
    askBroker(broker, names),
    lastBackupFile === undefined ? null : changedAt(lastBackupFile),
    versionOf(redis),
  ]);
  return {
    components: Object.entries({ ...readiness.needs, ...ofBroker }).map(([name, found]) => component(name, found)),
    queues,
    lag: names.map((service) => ({ service, seconds: secondsOf(services.tookMs.get(service)) })),
    lastBackup,
    versions: { worktrack: VERSION, node: process.versions.node, rabbitmq: brokerVersion(broker), redis: redisVersion },
  };
}

function component(name: string, found: string): Health['components'][number] {
  if (found === 'ok') return { name, state: 'ok', detail: null };
  if (found.startsWith(DEGRADED)) return { name, state: 'degraded', detail: found.slice(DEGRADED.length) };
  return { name, state: 'missing', detail: found };
}

const secondsOf = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms) / 1_000);

/** Whatever makes the backups touches it. */
async function changedAt(path: string): Promise<string | null> {
  try {
    return (await stat(path)).mtime.toISOString();
  } catch {
    return null; // There has been none.
  }
}

/** As below: frozen, it would be asked until heartbeats are missed, and the services be missing without it. */
async function askBroker(
  broker: Broker,
  services: readonly string[],
): Promise<{ readonly queues: Health['queues']; readonly rabbitmq?: string }> {
  const lengths = await Promise.race([
    queueLengths(broker, services),
    sleep(CHECK_DEADLINE_MS, undefined, { ref: false }),
  ]);
  return lengths ? { queues: [...lengths] } : { queues: [], rabbitmq: NO_ANSWER };
}

/** Its user may not be allowed to ask. */
async function versionOf(redis: Redis): Promise<string | null> {
  try {
    return /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? null;
  } catch {
    return null;
  }
}
