import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Progress } from '@worktrack/stack/progress';
import { givenServers, type Servers, startServers } from '@worktrack/stack/servers/start';

/** How many test files of one run can have a broker of their own. A virtual host costs the broker's start some 20 ms. */
const MAX_LEASES = 64;

/** A part of the three servers that nobody else in this run uses. */
export interface Lease {
  /** With a virtual host of its own. */
  readonly rabbitmqUrl: string;
  /** With a database number of its own. */
  readonly redisUrl: string;
  readonly mongodbUrl: string;
  /** For MONGODB_DATABASE_PREFIX, and for databases that a test makes itself. */
  readonly databasePrefix: string;
}

export class TestServers {
  readonly #given = givenServers(process.env);
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'worktrack-test-'));
  /** Apart in the databases of a server that outlives the run. */
  readonly #run = `t${process.pid.toString(36)}${Date.now().toString(36)}`;
  #servers: Promise<Servers> | undefined;
  #leases = 0;

  async lease(): Promise<Lease> {
    const number = ++this.#leases;
    if (number > MAX_LEASES) throw new Error(`More than ${MAX_LEASES} test files ask for servers: raise MAX_LEASES.`);
    this.#servers ??= this.#start();
    const { urls } = await this.#servers;
    return {
      // A server of others has the virtual hosts and databases that it has; there the files run one after the other.
      rabbitmqUrl: this.#given.rabbitmq ?? `${urls.rabbitmq}/${vhost(number)}`,
      redisUrl: this.#given.redis ?? `${urls.redis}/${number}`,
      mongodbUrl: urls.mongodb,
      databasePrefix: `${this.#run}-${number}`,
    };
  }

  async discard(): Promise<void> {
    const servers = await this.#servers?.catch(() => undefined);
    await servers?.discard();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  async #start(): Promise<Servers> {
    const vhosts = Array.from({ length: MAX_LEASES }, (_, index) => vhost(index + 1));
    return await startServers({
      dataDir: this.#dataDir,
      progress: new Progress(process.stderr),
      given: this.#given,
      vhosts,
    });
  }
}

function vhost(number: number): string {
  return `test-${number}`;
}
