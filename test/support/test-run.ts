import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '@worktrack/stack/processes/child';
import { Progress } from '@worktrack/stack/report/progress';
import { definitions } from '@worktrack/stack/servers/rabbitmq';
import { givenServers, type Servers, type ServerUrls, startServers } from '@worktrack/stack/servers/start';
import { buildServed } from '@worktrack/stack/services';
import { bundleServices } from './bundled-services.ts';
import type { Lease } from './lease.ts';
import { type RunningSystem, runSystem } from './run-system.ts';
import { IN_CONTAINERS } from './test-stack.ts';

/** How many test files of one run can have a part of the database and of Redis. */
const MAX_LEASES = 200;
/** A virtual host costs the broker 80 ms of CPU, so few are there from the start, enough for a run of single files. */
const FIRST_VHOSTS = 4;
/** `rabbitmqctl` takes seconds to start, so the next time it makes enough for all files of a whole run. */
const MORE_VHOSTS = 56;
const MAX_VHOSTS = FIRST_VHOSTS + MORE_VHOSTS;

/** What test files know of the system that they share. */
export type SharedSystem = Pick<RunningSystem, 'gateways' | 'urls' | 'secrets' | 'databasePrefix'>;

type Started = Pick<Servers, 'urls' | 'discard'> & Partial<Pick<Servers, 'rabbitmqctl'>>;

/** Of a server that is not started here. */
const ELSEWHERE = 'elsewhere:';

/** What the files of one run share, each part of it started when the first file asks for it. */
export class TestRun {
  readonly #given = givenServers(process.env);
  readonly #folder = mkdtempSync(join(fastFolder(), 'worktrack-test-'));
  /** Tells this run's databases apart from those of others on a server that outlives it. */
  readonly #id = `t${process.pid.toString(36)}${Date.now().toString(36)}`;
  /** MongoDB and Redis. */
  #servers: Promise<Started> | undefined;
  /** By itself: it takes most of the CPU of the three's start, and most files of services do without. */
  #broker: Promise<Started> | undefined;
  #system: Promise<RunningSystem> | undefined;
  #served: Promise<unknown> | undefined;
  #leases = 0;
  #vhosts = 0;
  #moreVhosts: Promise<unknown> | undefined;

  async lease(): Promise<Lease> {
    const number = ++this.#leases;
    if (number > MAX_LEASES) throw new Error(`More than ${MAX_LEASES} test files ask for servers: raise MAX_LEASES.`);
    this.#servers ??= this.#start('servers', { rabbitmq: this.#given.rabbitmq ?? ELSEWHERE });
    const { urls } = await this.#servers;
    const folder = join(this.#folder, `${number}`);
    mkdirSync(folder);
    return {
      // A server of others has only the databases that it has; there the files run one after the other.
      redisUrl: this.#given.redis ?? `${urls.redis}/${number}`,
      mongodbUrl: urls.mongodb,
      databasePrefix: `${this.#id}-${number}`,
      folder,
    };
  }

  /** @returns the URL of a virtual host that nobody else in this run uses */
  async virtualHost(): Promise<string> {
    // A server of others has only the virtual hosts that it has; there the files run one after the other.
    if (this.#given.rabbitmq) return this.#given.rabbitmq;
    const number = ++this.#vhosts;
    if (number > MAX_VHOSTS) throw new Error(`More than ${MAX_VHOSTS} test files ask for a broker: raise MORE_VHOSTS.`);
    this.#broker ??= this.#start('broker', { redis: ELSEWHERE, mongodb: ELSEWHERE });
    const { urls, rabbitmqctl } = await this.#broker;
    if (rabbitmqctl && number > FIRST_VHOSTS) {
      this.#moreVhosts ??= this.#makeMoreVhosts(rabbitmqctl, new URL(urls.rabbitmq).password);
      await this.#moreVhosts;
    }
    return `${urls.rabbitmq}/${vhost(number)}`;
  }

  /** Once for all systems of the run. */
  async buildServed(): Promise<void> {
    this.#served ??= Promise.all([buildServed(), bundleServices()]);
    await this.#served;
  }

  async sharedSystem(): Promise<SharedSystem> {
    this.#system ??= Promise.all([this.lease(), this.virtualHost(), this.buildServed()]).then(([lease, rabbitmq]) =>
      runSystem(lease, { urls: { rabbitmq } }),
    );
    const { gateways, urls, secrets, databasePrefix } = await this.#system;
    return { gateways, urls, secrets, databasePrefix };
  }

  async discard(): Promise<void> {
    const system = await this.#system?.catch(() => undefined);
    await system?.stop();
    for (const started of [this.#servers, this.#broker]) await (await started?.catch(() => undefined))?.discard();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Like `discard`, from a process that is ending and cannot wait for anything. */
  discardAtOnce(): void {
    Child.killAll();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async #makeMoreVhosts(rabbitmqctl: Servers['rabbitmqctl'], password: string): Promise<void> {
    const file = join(this.#folder, 'more-vhosts.json');
    writeFileSync(file, JSON.stringify(definitions(vhosts(FIRST_VHOSTS + 1, MAX_VHOSTS), password)));
    await rabbitmqctl(['import_definitions', file]);
  }

  /** @param given which of them are not to be started, beside those that the run was given */
  async #start(folder: string, given: Partial<ServerUrls>): Promise<Started> {
    const progress = new Progress(process.stderr);
    if (IN_CONTAINERS) {
      // Loaded only here: no other run needs the client of a container engine.
      const { startContainers } = await import('./containers.ts');
      return await startContainers(progress, { ...this.#given, ...given }, vhosts(1, MAX_VHOSTS));
    }
    return await startServers({
      dataDir: join(this.#folder, folder),
      progress,
      given: { ...this.#given, ...given },
      vhosts: vhosts(1, FIRST_VHOSTS),
    });
  }
}

function vhost(number: number): string {
  return `test-${number}`;
}

function vhosts(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => vhost(first + index));
}

const MEMORY_FOLDER = '/dev/shm';
/** A run leaves some 2 GB there: journals, mostly, which the servers write whatever becomes of them. */
const MIN_FREE_BYTES = 6 * 2 ** 30;

/**
 * In memory where there is enough: a server that is killed loses nothing there that it would keep on a disk, and what a power cut costs is not tested.
 * Every acknowledged write waits for the disk otherwise.
 */
function fastFolder(): string {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
