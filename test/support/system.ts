import type { Secrets } from '@worktrack/stack/files/secrets';
import { createTestOrganization, type TestOrganization } from './organization.ts';
import { type RunningSystem, runSystem, type SystemOptions } from './run-system.ts';
import { askRun, newLease, newVirtualHost } from './servers.ts';
import type { SharedSystem } from './test-run.ts';

/** The four real services as separate processes, on the real servers, as a test sees them. */
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

/** A system with one process per service, shared by all files of the run. */
export async function sharedSystem(): Promise<System> {
  shared ??= askRun('system');
  const { baseUrl, rabbitmqUrl, secrets } = await shared;
  return {
    baseUrl,
    rabbitmqUrl,
    secrets,
    newOrganization: () => createTestOrganization(baseUrl, rabbitmqUrl, secrets),
  };
}

/**
 * Starts a system for this test file alone, which stops it in `afterAll`: for a test that needs replicas, settings or faults.
 * Any other uses `sharedSystem`, which costs nothing.
 */
export async function startSystem(options: SystemOptions = {}): Promise<System & RunningSystem> {
  const hasOwnBroker = options.ownServers || options.urls?.rabbitmq;
  const [lease, rabbitmq] = await Promise.all([
    newLease(),
    hasOwnBroker ? options.urls?.rabbitmq : newVirtualHost(),
    askRun('served'),
  ]);
  const running = await runSystem(lease, { ...options, urls: { ...options.urls, ...(rabbitmq && { rabbitmq }) } });
  const baseUrl = running.gateways[0] as string;
  const rabbitmqUrl = running.urls.rabbitmq;
  return {
    ...running,
    baseUrl,
    rabbitmqUrl,
    newOrganization: () => createTestOrganization(baseUrl, rabbitmqUrl, running.secrets),
  };
}
