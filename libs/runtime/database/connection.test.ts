import { type AddressInfo, connect, createServer } from 'node:net';
import type { Log } from '@worktrack/rpc/types';
import { expect, test } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { connectDatabase, disconnectDatabase } from './connection.ts';

test('whoever mends what keeps a service from its database learns what is in the way next', async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  const url = new URL(mongodbUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  let isDropping = true;
  const way = createServer((near) => {
    if (isDropping) return void near.destroy();
    const far = connect(target);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  const { port } = way.address() as AddressInfo;
  url.host = `127.0.0.1:${port}`;

  const reasons: string[] = [];
  const log: Log = {
    ...{ debug() {}, info() {}, error() {}, child: () => log },
    warn(fields) {
      reasons.push(String((fields as { error: unknown }).error));
      if (reasons.length === 1) return void way.close();
      isDropping = false;
      way.listen(port, '127.0.0.1');
    },
  };
  await connectDatabase({ url: url.href, database: `${databasePrefix}_waiting`, log });
  expect(reasons).toHaveLength(2);
  expect(reasons[0]).not.toContain('ECONNREFUSED');
  expect(reasons[1]).toContain('ECONNREFUSED');
  await disconnectDatabase();
  await new Promise((resolve) => way.close(resolve));
});
