import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { connectBroker } from '@worktrack/rpc/connection';
import { serveRpc } from '@worktrack/rpc/server';
import { connectDatabase, databaseProblem, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { migrate } from '@worktrack/runtime/database/migrations/migrate';
import { onEmitted, outbox } from '@worktrack/runtime/database/outbox/outbox.repository';
import { OutboxPublisher } from '@worktrack/runtime/events/outbox-publisher';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { eventSigner, requestSigner } from '@worktrack/runtime/process/request-signers';
import { runService } from '@worktrack/runtime/process/service';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { config } from './config.ts';
import { handlers } from './handlers.ts';
import { foundByMigration } from './items/found-by.repository.ts';
import { receipts } from './items/received.repository.ts';
import { assemble } from './parts.ts';
import { Retention } from './retention/retention.ts';

/** Captchas waiting for a verifier on the internet, which may take seconds. */
const CAPTCHAS_UNDER_WAY = 64;

const settings = config();

await runService('feedback', settings, async ({ log, check, onStop }) => {
  await connectDatabase({
    url: settings.MONGODB_URL,
    database: `${settings.MONGODB_DATABASE_PREFIX}_feedback`,
    log,
  });
  onStop(disconnectDatabase);
  check('mongodb', databaseProblem);
  const migrations = await migrate([foundByMigration], { log });
  onStop(() => migrations.stop());

  // Not part of readiness: without it, duplicates and spent captcha solutions are only known to this process.
  const redis = connectRedis(settings.REDIS_URL, log);
  onStop(async () => redis.disconnect());

  const broker = await connectBroker({ url: settings.RABBITMQ_URL, name: 'feedback', log });
  onStop(() => broker.close());
  check('rabbitmq', () => broker.problem());

  const signer = eventSigner(settings.EVENT_SECRETS);
  const publisher = new OutboxPublisher({
    broker,
    service: 'feedback',
    signer,
    log,
    sources: [outbox, receipts],
    onEmitted,
  });
  onStop(() => publisher.close());

  const parts = assemble(settings, redis, log);
  const server = await serveRpc({
    broker,
    contract: feedbackContract,
    handlers: handlers(parts),
    signer: requestSigner('feedback', settings.RPC_SECRETS_FEEDBACK),
    log,
    observer: rpcObserver,
    longPrefetch: CAPTCHAS_UNDER_WAY,
  });
  onStop(() => server.stop());

  const retention = new Retention(parts.duplicates, log);
  retention.start();
  onStop(() => retention.stop());
  return undefined;
});
