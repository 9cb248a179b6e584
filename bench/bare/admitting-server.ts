import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { OperationError } from '@worktrack/contracts/errors';
import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import type { IngestBody } from '@worktrack/contracts/feedback/public-api';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import type { Call } from '@worktrack/rpc/types';
import { connectDatabase } from '@worktrack/runtime/database/connection';
import { parseConfig } from '@worktrack/runtime/process/config';
import { secretKey } from '@worktrack/runtime/process/key-ring';
import { createLog } from '@worktrack/runtime/process/logging';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { requestSignerOf } from '@worktrack/runtime/process/request-signers';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { fastify } from 'fastify';
import { settings as serviceSettings } from '../../services/feedback/config.ts';
import { ingest } from '../../services/feedback/items/ingest.ts';
import { assemble } from '../../services/feedback/parts.ts';
import { Gate } from '../../services/gateway/feedback/gate.ts';
import { Admissions } from '../../services/gateway/feedback/limits/admission.ts';
import { feedbackSettings } from '../../services/gateway/feedback/settings.ts';
import { verifyToken } from '../../services/gateway/feedback/widget-token.ts';

/** Like work-items-server.ts, for ingest: the same script call, token and duplicate check, and one insert per request. */
const { RABBITMQ_URL = '', REDIS_URL = '', MONGODB_URL = '', MONGODB_DATABASE_PREFIX } = process.env;
const log = createLog('bare', 'silent');
const signers = { feedback: requestSignerOf('feedback', process.env.RPC_SECRETS_FEEDBACK ?? '') };
const broker = await connectBroker({ url: RABBITMQ_URL, name: 'bare', log });
const feedback = createRpcClient({ broker, signers, log, observer: rpcObserver }).of(feedbackContract);
const redis = connectRedis(REDIS_URL, log);
await connectDatabase({ url: MONGODB_URL, database: `${MONGODB_DATABASE_PREFIX}_feedback`, log });
const parsed = parseConfig({ ...serviceSettings, ...feedbackSettings }, process.env);
if (!('settings' in parsed)) throw new Error(parsed.problems.join('\n'));
const { settings } = parsed;
const { duplicates } = assemble(settings, redis, log);
const admissions = new Admissions({
  redis,
  log,
  limits: { ingest: { perIp: 1, perSource: 1, windowSeconds: 1 }, bootstrapPerIp: 1 },
  lookUp: async (publicKey, requestId) =>
    (await feedback.call('sources.byPublicKey', { publicKey }, { requestId })).source,
});
const gate = new Gate(admissions, secretKey(settings.IP_HASH_SECRET));

const app = fastify({ trustProxy: ['loopback'] });
app.post('/feedback/ingest', async (request, reply) => {
  const { publicKey, token, captchaToken: _, ...submission } = request.body as IngestBody;
  const { source, origin, client } = await gate.enter('ingest', publicKey, request, reply);
  if (verifyToken(token, { publicKey, origin }, settings.WIDGET_TOKEN_SECRETS, Date.now()) !== 'valid') {
    throw new Error('The token is not valid.');
  }
  const input = {
    itemId: randomUUID(),
    organizationId: source.organizationId,
    sourceId: source.id,
    origin,
    ipHash: client,
    ...submission,
  };
  const context = {
    deadlineAtMs: Date.now() + 10_000,
    log,
    fail: (code: OperationError['code'], message: string) => new OperationError(code, message),
  };
  const [answer] = await ingest(duplicates, [{ input, context } as unknown as Call<typeof ingestFeedback>]);
  if (!answer || 'error' in answer) throw new Error(answer?.error.message);
  return reply.code(201).send({ success: true, data: answer.output });
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
