import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecrets } from '@worktrack/stack/files/secrets';
import { Progress } from '@worktrack/stack/report/progress';
import { createOrganization } from '@worktrack/stack/seed/organization';
import { givenServers, startServers } from '@worktrack/stack/servers/start';
import { startServices } from '@worktrack/stack/services';

/** The servers for a benchmark, with their data in a temporary folder that is removed with them, also after Ctrl-C. */
export async function startBenchServers() {
  const dataDir = mkdtempSync(join(tmpdir(), 'worktrack-bench-'));
  const servers = await startServers({
    dataDir,
    progress: new Progress(process.stderr),
    given: givenServers(process.env),
  });
  const discard = async () => {
    await servers.discard();
    rmSync(dataDir, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void discard().finally(() => process.exit(1)));
  }
  return { servers, dataDir, discard };
}

export type System = Awaited<ReturnType<typeof startBenchSystem>>;

/** The whole system for a benchmark. */
export async function startBenchSystem(options: {
  /** Keep running when the system stops. Default: its own servers. */
  readonly on?: Awaited<ReturnType<typeof startBenchServers>>;
  readonly replicas?: Parameters<typeof startServices>[0]['replicas'];
  readonly env?: Readonly<Record<string, string>>;
  /** The address at which the services reach the database, if there is a proxy in between. */
  readonly databaseVia?: (url: string) => Promise<string>;
}) {
  const { servers, dataDir, discard: discardServers } = options.on ?? (await startBenchServers());
  const discard = options.on ? async () => {} : discardServers;
  try {
    const { databaseVia = async (url: string) => url } = options;
    const urls = { ...servers.urls, mongodb: await databaseVia(servers.urls.mongodb) };
    const secrets = loadSecrets(dataDir, {});
    const env = { ...process.env, MONGODB_DATABASE_PREFIX: `bench${process.pid}`, ...options.env };
    const services = await startServices({
      urls,
      secrets,
      replicas: options.replicas,
      env,
      port: 0,
      host: '127.0.0.1',
      dataDir,
    });
    const gateways = services.of('gateway').map(({ publicUrl }) => publicUrl as string);
    const created = await createOrganization(urls.rabbitmq, secrets, {
      name: 'Bench',
      ownerEmail: 'bench@example.com',
    });
    return {
      servers,
      services,
      gateways,
      organizationId: created.organization.id,
      apiKey: created.apiKey.key,
      /** For a process that works on the same servers and data, with the same secrets. */
      environment: {
        ...env,
        ...secrets,
        RABBITMQ_URL: urls.rabbitmq,
        REDIS_URL: urls.redis,
        MONGODB_URL: urls.mongodb,
      },
      /** A REST call with the organization's key. @throws Error with the service's own message */
      async call<T>(method: string, path: string, body?: unknown, gateway = gateways[0]): Promise<T> {
        const response = await fetch(`${gateway}${path}`, {
          method,
          headers: { authorization: `Bearer ${created.apiKey.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const answer = (await response.json()) as { data: T; error?: { message: string } };
        if (answer.error) throw new Error(answer.error.message);
        return answer.data;
      },
      async stop() {
        await services.discard();
        await discard();
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}
