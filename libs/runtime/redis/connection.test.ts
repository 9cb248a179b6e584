import { TestProxy } from '@worktrack/rpc/testing/proxy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { createLog } from '../process/logging.ts';
import { connectRedis } from './connection.ts';

let proxy: TestProxy;
let redis: ReturnType<typeof connectRedis>;
beforeEach(async () => {
  proxy = await TestProxy.to((await servers()).redisUrl);
  redis = connectRedis(proxy.url, createLog('test', 'silent'));
  await expect.poll(() => redis.status).toBe('ready');
});
afterEach(async () => {
  redis.disconnect();
  await proxy.close();
});

test('a connection on which nothing comes any more is left for a new one, as after a failover from a machine that lost its power', async () => {
  proxy.hold();
  await expect.poll(() => redis.ping().catch(() => undefined)).toBe('PONG');
});
