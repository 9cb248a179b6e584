import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { newLease, newVirtualHost, servers, virtualHost } from './support/servers.ts';

describe('the servers of a test run', () => {
  it('are there for the first file that asks, and the same for every call within it', async () => {
    const lease = await servers();
    expect(await servers()).toEqual(lease);
    const broker = await virtualHost();
    expect(await virtualHost()).toBe(broker);
    for (const url of [broker, lease.redisUrl, lease.mongodbUrl]) {
      const { hostname, port } = new URL(url);
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', reject);
      });
    }
  });

  it('are leased in parts that no two files share', async () => {
    const [one, two] = [await servers(), await newLease()];
    expect(await newVirtualHost()).not.toBe(await virtualHost());
    expect(one.redisUrl).not.toBe(two.redisUrl);
    expect(one.databasePrefix).not.toBe(two.databasePrefix);
  });
});
