import type { AddressInfo } from 'node:net';
import { keysContract } from '@worktrack/contracts/keys/contract';
import { callerOf } from '@worktrack/contracts/keys/identity';
import { listWorkItems as operation } from '@worktrack/contracts/work-items/lists/list';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import { connectDatabase } from '@worktrack/runtime/database/connection';
import { secretKey } from '@worktrack/runtime/process/key-ring';
import { createLog } from '@worktrack/runtime/process/logging';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { requestSignerOf } from '@worktrack/runtime/process/request-signers';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { type FastifyRequest, fastify } from 'fastify';
import { createAuthenticator } from '../../services/gateway/identity/authenticate.ts';
import { listWorkItems } from '../../services/workitems/lists/list.ts';

/**
 * The same cache and database work in one process, without any hop: keys through the same lookup in Redis, items through the same queries.
 * No checks except the key, no routes from contracts, no metrics, no log. The broker is here for the cache miss of a key, once a minute.
 */
const { RABBITMQ_URL = '', REDIS_URL = '', MONGODB_URL = '', MONGODB_DATABASE_PREFIX } = process.env;
const log = createLog('bare', 'silent');
const signers = { keys: requestSignerOf('keys', process.env.RPC_SECRETS_KEYS ?? '') };
const broker = await connectBroker({ url: RABBITMQ_URL, name: 'bare', log });
const keys = createRpcClient({ broker, signers, log, observer: rpcObserver }).of(keysContract);
const authenticator = createAuthenticator({
  redis: connectRedis(REDIS_URL, log),
  keys,
  log,
  unknownKeysPerAddress: Number.MAX_SAFE_INTEGER,
  addressSecret: secretKey(process.env.IP_HASH_SECRET ?? ''),
});
await connectDatabase({ url: MONGODB_URL, database: `${MONGODB_DATABASE_PREFIX}_workitems`, log });

const list = async (request: FastifyRequest, given: object) => {
  const { identity } = await authenticator.authenticate(request.headers.authorization, request);
  return await listWorkItems(operation.input.parse(given), { caller: callerOf(identity) } as Parameters<
    typeof listWorkItems
  >[1]);
};

const app = fastify();
app.get('/api/me', async (request) => ({
  success: true,
  data: (await authenticator.authenticate(request.headers.authorization, request)).identity,
}));
app.get('/api/work-items', async (request) => {
  const { projectId, limit } = request.query as { projectId: string; limit: string };
  return { success: true, data: await list(request, { projectId, limit: Number(limit) }) };
});
app.post('/mcp', async (request) => {
  const { id, params } = request.body as { id: number; params: { arguments: object } };
  const structuredContent = await list(request, params.arguments);
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { jsonrpc: '2.0', id, result: { content, structuredContent } };
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
