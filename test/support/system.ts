import type { Secrets } from '@worktrack/stack/files/secrets';
import { createTestOrganization, type TestOrganization } from './organization.ts';
import { type RunningSystem, runSystem, type SystemOptions } from './run-system.ts';
import { askRun, newLease, newVirtualHost } from './servers.ts';
import type { SharedSystem } from './test-run.ts';

/** The real services as separate processes, on the real servers, as a test sees them. */
export interface System {
  /** Of the first gateway. */
  readonly baseUrl: string;
  /** For what has no route. */
  readonly rabbitmqUrl: string;
  /** With which the services run; for a command that calls one itself. */
  readonly secrets: Secrets;
  /** A new organization with its owner, key and project: nothing that one test does in it is seen in another. */
  newOrganization(): Promise<TestOrganization>;
}

let shared: Promise<SharedSystem> | undefined;

function theShared(): Promise<SharedSystem> {
  shared ??= askRun('system');
  return shared;
}

/** A system with one process per service, shared by all files of the run. */
export async function sharedSystem(): Promise<System> {
  return asSystem(await theShared());
}

/**
 * Starts a system for this test file alone, which stops it in `afterAll`: for a test that needs replicas, settings or faults.
 * Any other uses `sharedSystem`, which costs nothing.
 */
export async function startSystem(options: SystemOptions = {}): Promise<System & RunningSystem> {
  const hasOwnBroker = options.ownServers?.includes('rabbitmq') || options.urls?.rabbitmq;
  const [lease, rabbitmq] = await Promise.all([
    newLease(),
    hasOwnBroker ? options.urls?.rabbitmq : newVirtualHost(),
    askRun('served'),
  ]);
  return asSystem(await runSystem(lease, { ...options, urls: { ...options.urls, ...(rabbitmq && { rabbitmq }) } }));
}

const NONE_BEHIND = { keys: 0, workitems: 0, feedback: 0, events: 0 };

/**
 * Starts gateways of this test file's own before the services that all files share, which it stops in `afterAll`: for settings, replicas and faults of gateways
 * alone. It costs a fifth of a system.
 * @param options `rabbitmqUrl`: a way of its own to the broker. `hasOwnRedis`: for one that counts addresses, or forgets everything. The services do not use it, so revocations do not arrive in it.
 */
export async function startGateways(
  count: number,
  {
    env = {},
    rabbitmqUrl,
    hasOwnRedis = false,
  }: Pick<SystemOptions, 'env'> & { readonly rabbitmqUrl?: string; readonly hasOwnRedis?: boolean } = {},
): Promise<System & RunningSystem> {
  const [before, lease] = await Promise.all([theShared(), newLease()]);
  const urls = {
    ...before.urls,
    ...(rabbitmqUrl !== undefined && { rabbitmq: rabbitmqUrl }),
    ...(hasOwnRedis && { redis: lease.redisUrl }),
  };
  return asSystem(await runSystem(lease, { replicas: { gateway: count, ...NONE_BEHIND }, env, urls, before }));
}

function asSystem<Parts extends Pick<RunningSystem, 'gateways' | 'urls' | 'secrets'>>(parts: Parts): System & Parts {
  const { gateways, urls, secrets } = parts;
  const baseUrl = gateways[0] as string;
  const rabbitmqUrl = urls.rabbitmq;
  return {
    ...parts,
    baseUrl,
    rabbitmqUrl,
    newOrganization: () => createTestOrganization(baseUrl, rabbitmqUrl, secrets),
  };
}
