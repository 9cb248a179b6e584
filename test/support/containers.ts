import { setTimeout as delay } from 'node:timers/promises';
import { randomSecret } from '@worktrack/stack/files/made-once';
import type { Progress } from '@worktrack/stack/report/progress';
import { StartError } from '@worktrack/stack/report/start-error';
import { USER } from '@worktrack/stack/servers/credentials';
import { isPrimary, REPLICA_SET, TRANSACTION_LIFETIME_SECONDS } from '@worktrack/stack/servers/mongodb';
import { definitions } from '@worktrack/stack/servers/rabbitmq';
import { DATABASES } from '@worktrack/stack/servers/redis';
import type { Servers, ServerUrls } from '@worktrack/stack/servers/start';
import { MongoClient } from 'mongodb';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';

/** As in docker-compose.yml, and with the same variables a different one: from a mirror, or another version. */
const IMAGES = {
  rabbitmq: process.env.RABBITMQ_IMAGE || 'rabbitmq:4-alpine',
  redis: process.env.REDIS_IMAGE || 'redis:8-alpine',
  mongodb: process.env.MONGODB_IMAGE || 'mongo:8',
};

/** An image that is not there yet is fetched before this counts. */
const START_TIMEOUT_MS = 120_000;
const PRIMARY_POLL_MS = 50;
const RABBITMQ_PORT = 5672;
const REDIS_PORT = 6379;
const MONGODB_PORT = 27017;
const DEFINITIONS = '/etc/rabbitmq/worktrack-definitions.json';

/**
 * Starts those servers that are not given as containers, on ports that the engine chooses. If one fails, none stays; and should this process
 * die without stopping them, testcontainers' own reaper stops them.
 */
export async function startContainers(
  progress: Progress,
  given: Partial<ServerUrls>,
  vhosts: readonly string[],
): Promise<Pick<Servers, 'urls' | 'discard'>> {
  await requireEngine();
  const started: StartedTestContainer[] = [];
  const run = async (container: GenericContainer) => {
    const running = await container
      .withWaitStrategy(Wait.forListeningPorts())
      .withStartupTimeout(START_TIMEOUT_MS)
      .start();
    started.push(running);
    return running;
  };
  const discard = async () => {
    await Promise.all(started.map((container) => container.stop({ timeout: 0, removeVolumes: true })));
  };

  const starts = [
    given.rabbitmq ?? startRabbitmq(run, vhosts),
    given.redis ?? startRedis(run),
    given.mongodb ?? startMongodb(run),
  ] as const;
  const outcomes = await progress.step('Starting the containers', () => Promise.allSettled(starts));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await discard();
    throw failure.reason;
  }
  const [rabbitmq, redis, mongodb] = await Promise.all(starts);
  return { urls: { rabbitmq, redis, mongodb }, discard };
}

type Run = (container: GenericContainer) => Promise<StartedTestContainer>;

async function startRabbitmq(run: Run, vhosts: readonly string[]): Promise<string> {
  const password = randomSecret();
  const container = await run(
    new GenericContainer(IMAGES.rabbitmq).withExposedPorts(RABBITMQ_PORT).withCopyContentToContainer([
      { target: DEFINITIONS, content: JSON.stringify(definitions(vhosts, password)), mode: 0o644 },
      {
        target: '/etc/rabbitmq/conf.d/90-worktrack.conf',
        // As seen from within the container, clients on this machine are not on its loopback address.
        content: `load_definitions = ${DEFINITIONS}\nloopback_users = none\n`,
        mode: 0o644,
      },
    ]),
  );
  return `amqp://${USER}:${password}@${address(container, RABBITMQ_PORT)}`;
}

async function startRedis(run: Run): Promise<string> {
  const container = await run(
    new GenericContainer(IMAGES.redis)
      .withExposedPorts(REDIS_PORT)
      .withCommand(['redis-server', '--save', '', '--appendonly', 'no', '--databases', `${DATABASES}`]),
  );
  return `redis://${address(container, REDIS_PORT)}`;
}

async function startMongodb(run: Run): Promise<string> {
  const container = await run(
    new GenericContainer(IMAGES.mongodb)
      .withExposedPorts(MONGODB_PORT)
      .withCommand([
        ...['mongod', '--replSet', REPLICA_SET, '--bind_ip_all'],
        ...['--setParameter', `transactionLifetimeLimitSeconds=${TRANSACTION_LIFETIME_SECONDS}`],
      ]),
  );
  // Direct: the one node is all there is, and knows itself by the address that it has in its container.
  const url = `mongodb://${address(container, MONGODB_PORT)}/?directConnection=true`;
  await untilPrimary(url);
  return url;
}

async function untilPrimary(url: string): Promise<void> {
  const giveUpAtMs = Date.now() + START_TIMEOUT_MS;
  const client = new MongoClient(url, { serverSelectionTimeoutMS: START_TIMEOUT_MS });
  try {
    while (!(await isPrimary(client, `127.0.0.1:${MONGODB_PORT}`))) {
      if (Date.now() > giveUpAtMs) throw new StartError(`MongoDB (${IMAGES.mongodb}) has not become a primary.`);
      await delay(PRIMARY_POLL_MS);
    }
  } finally {
    await client.close();
  }
}

function address(container: StartedTestContainer, port: number): string {
  return `${container.getHost()}:${container.getMappedPort(port)}`;
}

async function requireEngine(): Promise<void> {
  try {
    await getContainerRuntimeClient();
  } catch (error) {
    throw new StartError(
      `TEST_STACK=containers needs a container engine, and none answers at DOCKER_HOST or the default socket: ${(error as Error).message}`,
    );
  }
}
